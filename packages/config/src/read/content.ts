import type { StoreError } from '@unikv/core'
import type { Element } from '../tree/element.ts'
import { isTag } from '../tree/names.ts'
import { instead, type Place, wrong } from '../tree/wrong.ts'
import type { TypedText } from './typed-text.ts'

/** The content of an element: its attributes, and text or children. */
export interface Content {
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string | undefined
  readonly children: readonly Element[]
  /** The tag that a root gives itself. */
  readonly tag?: string | undefined
}

/** A key of a mapping, and what may be made of its value; each throws if the value has another form. */
export interface ContentPart {
  readonly key: string
  readonly place: Place
  /** Keys from the root to the mapping. */
  readonly path: string
  readonly scalar: () => TypedText
  /** An element with a key. */
  readonly named: (key: string) => Element
  /** An element with a tag and attributes; a list gives its children. */
  readonly tagged: (tag: string, attributes: ReadonlyMap<string, string>) => Element
  readonly items: () => readonly Element[]
  /** Mappings with one key each, read one after the other. */
  readonly maps: () => readonly (() => ContentPart)[]
  readonly parts: () => readonly ContentPart[]
}

/** Attributes that the language reads: in YAML and JSON their keys begin with `$`. */
export const languageAttributes: readonly string[] = [
  'extends',
  'ref',
  'exp',
  'type',
  'name',
  'value',
  'sep',
  'range',
  'with',
  'path',
  'pattern',
  'group',
  'from',
  'to',
]

/** Keys that are neither attributes nor tags. */
const otherKeys = ['$text', '$items', '$children', '$foreach', '$attributes']
const rootKeys = ['$tag', '$schema']
const known = [...languageAttributes.map((name) => `$${name}`), ...otherKeys]

/**
 * The content that the keys of a mapping describe.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a key that begins with `$` and is not known
 */
export function readContent(parts: readonly ContentPart[], place: Place, isRoot: boolean): Content {
  const attributes = new Map<string, string>()
  const children: Element[] = []
  let text: string | undefined
  let tag: string | undefined
  for (const part of parts) {
    if (part.key === '$text') text = textOf(part, attributes)
    else if (isRoot && part.key === '$tag') tag = scalarOf(part)
    else if (isRoot && part.key === '$schema') scalarOf(part)
    else if (isAttribute(part.key)) attributes.set(part.key.slice(1), scalarOf(part))
    else if (part.key === '$attributes') addAttributes(part, attributes)
    else children.push(...childrenOf(part, isRoot))
  }
  const isEmpty = parts.length === 0
  if (isEmpty) attributes.set('type', 'object')
  if (text !== undefined && children.length > 0)
    throw wrong(place, '$text stands beside other keys. An element has a text or children')
  return { attributes, text, children, tag }
}

function isAttribute(key: string): boolean {
  return languageAttributes.includes(key.slice(1)) && key.startsWith('$')
}

/** `$type` wins over the type of the text, wherever it stands. */
function textOf(part: ContentPart, attributes: Map<string, string>): string | undefined {
  const { text, type } = part.scalar()
  if (type !== undefined && !attributes.has('type')) attributes.set('type', type)
  return text
}

function scalarOf(part: ContentPart): string {
  const { text } = part.scalar()
  if (text === undefined) throw wrongPart(part, `${part.key} is empty`)
  return text
}

function addAttributes(part: ContentPart, attributes: Map<string, string>): void {
  for (const one of part.parts()) {
    if (languageAttributes.includes(one.key))
      throw wrongPart(
        one,
        `${one.key} is an attribute of the language. Write it as $${one.key}, outside of $attributes`,
      )
    if (!isTag(one.key)) throw wrongPart(one, `'${one.key}' cannot be the name of an attribute`)
    attributes.set(one.key, scalarOf(one))
  }
}

function childrenOf(part: ContentPart, isRoot: boolean): readonly Element[] {
  if (part.key === '$items') return part.items()
  if (part.key === '$children') return part.maps().map((one) => childOf(one(), []))
  if (part.key !== '$foreach') return [childOf(part, isRoot ? [...known, ...rootKeys] : known)]
  return part.parts().map((one) => one.tagged('foreach', new Map([['name', unescaped(one.key)]])))
}

function childOf(part: ContentPart, names: readonly string[]): Element {
  const { key } = part
  if (!key.startsWith('$') || key.startsWith('$$')) return part.named(unescaped(key))
  const hint = names.length === 0 ? 'Each child has a tag.' : instead(key, names)
  throw wrongPart(part, `there is no ${key} here. ${hint} A key that begins with $ is written with $$`)
}

function wrongPart({ place, path }: ContentPart, says: string): StoreError {
  return wrong(place, says, path === '' ? undefined : path)
}

/** `$$x` is the key `$x`. */
function unescaped(key: string): string {
  return key.startsWith('$$') ? key.slice(1) : key
}
