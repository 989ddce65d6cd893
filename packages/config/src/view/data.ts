import { type Element, valueOf } from '../tree/element.ts'
import { keyOf } from '../tree/names.ts'
import { asJsonNumber } from '../tree/numbers.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import type { Data } from './data-kinds.ts'
import { jsonData } from './json-data.ts'
import { typeOf, type ValueType } from './types.ts'

/**
 * The JSON view of an element.
 *
 * @param parent elements above it, for messages
 * @throws {StoreError} `INVALID_CONFIG` if a type does not fit
 */
export function dataOf(own: Element, parent?: Trail): Data {
  return dataAt({ element: own, parent })
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
  return jsonData(trail, type, text)
}

function empty(type: ValueType | undefined): Data {
  if (type === 'array') return []
  return type === 'object' ? new Map() : null
}

function number(trail: Trail, text: string): Data {
  const digits = asJsonNumber(text.trim())
  if (digits !== undefined) return { digits, trail }
  throw wrongAt(trail, 'type="number" does not fit: its value is not a number')
}

function bool(trail: Trail, text: string): Data {
  const word = text.trim().toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw wrongAt(trail, 'type="bool" does not fit: its value is neither true nor false')
}
