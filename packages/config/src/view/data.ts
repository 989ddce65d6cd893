import { type Element, valueOf } from '../tree/element.ts'
import { limits } from '../tree/limits.ts'
import { keyOf } from '../tree/names.ts'
import { asJsonNumber } from '../tree/numbers.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import { typeOf, type ValueType } from './types.ts'

/** The JSON view of a document: numbers with all their digits, keys in the order of the document. */
export type Data = null | boolean | string | NumberText | readonly Data[] | DataMap

/** Keys and values, in an order. */
export type DataMap = ReadonlyMap<string, Data>

/** A number as JSON writes it. */
export interface NumberText {
  readonly digits: string
}

/**
 * The JSON view of an element.
 *
 * @param parent elements above it, for messages
 * @throws {StoreError} `INVALID_CONFIG` if a type does not fit
 */
export function dataOf(own: Element, parent?: Trail): Data {
  return dataAt({ element: own, parent })
}

/** Whether a value is a number. */
export function isNumberText(data: unknown): data is NumberText {
  return typeof data === 'object' && data !== null && 'digits' in data
}

/** Whether a value has keys. */
export function isDataMap(data: Data): data is DataMap {
  return typeof data === 'object' && data !== null && !isList(data) && !isNumberText(data)
}

/** Whether a value is a list. */
export function isList(data: Data): data is readonly Data[] {
  return Array.isArray(data)
}

function dataAt(trail: Trail): Data {
  const { element: own } = trail
  const type = typeOf(trail)
  const attributes = [...own.attributes].filter(([name]) => !['type', 'name', 'value'].includes(name))
  if (own.children.length === 0 && attributes.length === 0) return leaf(trail, type)
  if (own.children.length > 0 && (type === 'number' || type === 'bool' || type === 'text'))
    throw wrongAt(trail, `type="${type}" does not fit: it has child elements`)
  if (!isArray(own, type, attributes.length)) return object(trail, attributes)
  if (attributes.length > 0)
    throw wrongAt(trail, `an array has no place for the attribute ${attributes[0]?.[0]}. Make it an element`)
  return own.children.map((child) => dataAt({ element: child, parent: trail }))
}

/** Two or more children of one name are an array, if nothing else is beside them. */
function isArray({ children }: Element, type: ValueType | undefined, attributes: number): boolean {
  if (type !== undefined) return type === 'array'
  return attributes === 0 && children.length > 1 && new Set(children.map(keyOf)).size === 1
}

function object(trail: Trail, attributes: readonly (readonly [string, string])[]): Data {
  const data = new Map<string, Data>(attributes)
  const lists = new Map<string, Data[]>()
  for (const child of trail.element.children) {
    const key = keyOf(child)
    const inner = { element: child, parent: trail }
    const list = lists.get(key)
    if (list === undefined && data.has(key))
      throw wrongAt(inner, `${key} is also an attribute of the element above`)
    const value = dataAt(inner)
    if (list === undefined) lists.set(key, [value])
    else list.push(value)
    data.set(key, list ?? value)
  }
  return data
}

function leaf(trail: Trail, type: ValueType | undefined): Data {
  const text = valueOf(trail.element)
  if (text === undefined || (text === '' && type !== undefined && type !== 'text')) return empty(type)
  if (type === undefined || type === 'text') return text
  if (type === 'number') return number(trail, text)
  if (type === 'bool') return bool(trail, text)
  return parsed(trail, type, text)
}

function empty(type: ValueType | undefined): Data {
  if (type === 'array') return []
  return type === 'object' ? new Map() : null
}

function number(trail: Trail, text: string): Data {
  const digits = asJsonNumber(text.trim())
  if (digits !== undefined) return { digits }
  throw wrongAt(trail, 'type="number" does not fit: its value is not a number')
}

function bool(trail: Trail, text: string): Data {
  const word = text.trim().toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw wrongAt(trail, 'type="bool" does not fit: its value is neither true nor false')
}

/** A text with a type of several values is JSON. */
function parsed(trail: Trail, type: 'array' | 'object', text: string): Data {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrongAt(trail, `type="${type}" does not fit: its text is not JSON`)
  }
  if (typeof value === 'object' && value !== null && Array.isArray(value) === (type === 'array'))
    return plain(trail, value, 0)
  throw wrongAt(trail, `type="${type}" does not fit: its text is another kind of JSON`)
}

function plain(trail: Trail, value: unknown, depth: number): Data {
  if (depth > limits.depth) throw wrongAt(trail, `its JSON has more than ${limits.depth} levels`)
  if (typeof value === 'number') return { digits: String(value) }
  if (Array.isArray(value)) return value.map((one) => plain(trail, one, depth + 1))
  if (typeof value !== 'object' || value === null) return value as Data
  return new Map(Object.entries(value).map(([key, one]) => [key, plain(trail, one, depth + 1)]))
}
