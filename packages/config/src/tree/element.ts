import type { StoreError } from '@unikv/core'
import { limits } from './limits.ts'
import { type Place, wrong } from './wrong.ts'

/** One element of a document. Elements never change, so documents share those that are equal. */
export interface Element {
  /** The name in XML, and the key in YAML and JSON. */
  readonly tag: string
  /** In the order in which they were written. */
  readonly attributes: ReadonlyMap<string, string>
  /** The text of an element without children; `undefined` if it has none. An attribute `value` comes first: see `valueOf`. */
  readonly text: string | undefined
  readonly children: readonly Element[]
  /** Where the element was written. */
  readonly place: Place
  /** Elements and characters that it stands for, itself included. */
  readonly size: ElementSize
}

/** How large an element is with everything in it. */
export interface ElementSize {
  /** Number of elements. */
  readonly elements: number
  /** Characters of all tags, attributes and texts. */
  readonly characters: number
  /** Number of levels; 1 without children. */
  readonly depth: number
  /** Whether an element in it asks to be merged deeply (`extends="."`). */
  readonly isDeep: boolean
}

/** The parts that an element is made of; those that are left out are empty. */
export interface ElementParts {
  readonly tag: string
  readonly place: Place
  readonly attributes?: ReadonlyMap<string, string>
  readonly text?: string | undefined
  readonly children?: readonly Element[]
}

const none: ReadonlyMap<string, string> = new Map()

/**
 * Make an element.
 *
 * @param isSettled whether a deep merge that is asked for inside does not concern the elements above
 * @throws {StoreError} `INVALID_CONFIG` if the document becomes larger than documents may be
 */
export function element(parts: ElementParts, isSettled = false): Element {
  const { tag, place, attributes = none, text, children = [] } = parts
  const size = sizeOf(tag, attributes, text, children)
  if (size.elements > limits.elements) throw tooMany(parts)
  if (size.characters > limits.characters)
    throw wrong(place, `<${tag}> has more than ${limits.characters} characters. ${multiplied}`)
  if (size.depth > limits.depth)
    throw wrong(place, `<${tag}> has more than ${limits.depth} levels of elements`)
  return { tag, attributes, text, children, place, size: isSettled ? { ...size, isDeep: false } : size }
}

function tooMany({ place, tag }: ElementParts): StoreError {
  return wrong(place, `<${tag}> has more than ${limits.elements} elements. ${multiplied}`)
}

const multiplied = 'Check whether `extends`, `ref` or `foreach` multiply it'

function sizeOf(
  tag: string,
  attributes: ReadonlyMap<string, string>,
  text: string | undefined,
  children: readonly Element[],
): ElementSize {
  let elements = 1
  let characters = tag.length + (text?.length ?? 0)
  let depth = 0
  let isDeep = attributes.get('extends') === '.'
  for (const [name, value] of attributes) characters += name.length + value.length
  for (const { size } of children) {
    elements += size.elements
    characters += size.characters
    depth = Math.max(depth, size.depth)
    isDeep ||= size.isDeep
  }
  return { elements, characters, depth: depth + 1, isDeep }
}

/** An element with other children. One whose children stay the same stays the same, too. */
export function withChildren(own: Element, change: (child: Element) => Element): Element {
  let elements = 0
  let isSame = true
  const children = own.children.map((child) => {
    const changed = change(child)
    elements += changed.size.elements
    if (elements > limits.elements) throw tooMany(own)
    isSame &&= changed === child
    return changed
  })
  return isSame ? own : element({ ...own, children })
}

/** The value of an element without children: its attribute `value`, or else its text. */
export function valueOf({ attributes, text }: Element): string | undefined {
  return attributes.get('value') ?? text
}

/** Attributes without some of them. */
export function without(
  attributes: ReadonlyMap<string, string>,
  ...names: readonly string[]
): ReadonlyMap<string, string> {
  if (!names.some((name) => attributes.has(name))) return attributes
  return new Map([...attributes].filter(([name]) => !names.includes(name)))
}
