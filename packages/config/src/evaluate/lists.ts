import { type Element, valueOf } from '../tree/element.ts'
import { childAt, stepsOf } from '../tree/path.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import type { Search } from './search.ts'

/** Parts of the evaluation that list functions need. */
export interface ListContext {
  readonly search: Search
  readonly value: (trail: Trail) => string | undefined
  /** Values of the children; lists in them are taken apart. */
  readonly values: (trail: Trail) => readonly string[]
}

/** List functions: elements in expressions that give several values. */
const functions: Readonly<Record<string, (trail: Trail, context: ListContext) => readonly string[]>> = {
  split,
  slice,
  map: mapped,
  findAll,
}

/** Whether an element in an expression gives several values. */
export function isList({ tag, attributes }: Element): boolean {
  return Object.hasOwn(functions, tag) && !attributes.has('exp')
}

/**
 * The values that a list function gives.
 *
 * @throws {StoreError} `INVALID_CONFIG` for attributes that are missing, and for positions beyond the list
 */
export function listOf(trail: Trail, context: ListContext): readonly string[] {
  return functions[trail.element.tag]?.(trail, context) ?? []
}

function split(trail: Trail, context: ListContext): readonly string[] {
  const separator = needed(trail, 'with')
  return contents(trail, context).flatMap((text) => context.search.split(trail, 'with', separator, text))
}

function findAll(trail: Trail, context: ListContext): readonly string[] {
  const pattern = needed(trail, 'pattern')
  const group = wholeNumber(trail, 'group', trail.element.attributes.get('group')) ?? 0
  if (group < 0) throw wrongAt(trail, 'group must be 0, the whole match, or a number above it')
  return contents(trail, context).flatMap((text) => context.search.findAll(trail, pattern, group, text))
}

/** Positions count from 0; `to` is not included. */
function slice(trail: Trail, context: ListContext): readonly string[] {
  const { element: own } = trail
  const of = childAt(own, 'of')
  const input = of === undefined ? listsIn(trail, context) : contents({ element: of, parent: trail }, context)
  const from = position(trail, 'from', context) ?? 0
  const to = position(trail, 'to', context) ?? input.length
  if (from < 0 || to > input.length || from > to)
    throw wrongAt(
      trail,
      `the slice from ${from} to ${to} is not inside of a list with ${input.length} values`,
    )
  return input.slice(from, to)
}

function mapped(trail: Trail, context: ListContext): readonly string[] {
  const steps = stepsOf(needed(trail, 'path'))
  if (steps === undefined) throw wrongAt(trail, 'path must be tags with / between them, such as a/b')
  return trail.element.children.flatMap((child) => {
    const value = valueAt({ element: child, parent: trail }, steps, context)
    return value === undefined ? [] : [value]
  })
}

/** The last step is an attribute or a child. */
function valueAt(trail: Trail, steps: readonly string[], context: ListContext): string | undefined {
  const [step = '', ...others] = steps
  const attribute = others.length === 0 ? trail.element.attributes.get(step) : undefined
  if (attribute !== undefined) return attribute
  const child = childAt(trail.element, step)
  if (child === undefined) return undefined
  const inner = { element: child, parent: trail }
  return others.length === 0 ? context.value(inner) : valueAt(inner, others, context)
}

/** The text of an element, or the values of its children. */
function contents(trail: Trail, context: ListContext): readonly string[] {
  if (trail.element.children.length > 0) return context.values(trail)
  const text = valueOf(trail.element)
  return text === undefined ? [] : [text]
}

function listsIn(trail: Trail, context: ListContext): readonly string[] {
  const lists = trail.element.children.filter(isList)
  if (lists.length === 0)
    throw wrongAt(trail, 'slice needs <of> with values, or a list function such as <split>')
  return lists.flatMap((list) => listOf({ element: list, parent: trail }, context))
}

/** A number in an attribute, or in a child of that name. */
function position(trail: Trail, name: string, context: ListContext): number | undefined {
  const child = childAt(trail.element, name)
  const inner = child === undefined ? undefined : context.value({ element: child, parent: trail })
  return wholeNumber(trail, name, trail.element.attributes.get(name) ?? inner)
}

function wholeNumber(trail: Trail, name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\s*-?\d{1,15}\s*$/.test(text)) return Number(text)
  throw wrongAt(trail, `${name} must be a whole number`)
}

function needed(trail: Trail, name: string): string {
  const value = trail.element.attributes.get(name)
  if (value !== undefined && value !== '') return value
  throw wrongAt(trail, `<${trail.element.tag}> needs the attribute ${name}`)
}
