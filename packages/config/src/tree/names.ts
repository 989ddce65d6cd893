import type { Element } from './element.ts'

const start =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
const name = new RegExp(`^[${start}][-.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040${start}]*$`, 'u')

/** The tag of an element whose key cannot be a tag: the key is its attribute `name`. */
export const propertyTag = 'property'

/** Whether a text can be a tag: a name of XML without a colon, as there are no namespaces. */
export function isTag(text: string): boolean {
  return name.test(text)
}

/** The tag and attributes of an element with a key of YAML, JSON or properties. */
export function taggedBy(key: string): {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
} {
  return isTag(key)
    ? { tag: key, attributes: new Map() }
    : { tag: propertyTag, attributes: new Map([['name', key]]) }
}

/** The key of an element in the JSON view. */
export function keyOf({ tag, attributes }: Element): string {
  return attributes.get('name') ?? tag
}

/** The name by which children match in a merge, and by which paths in messages tell them apart. */
export function matchName({ tag, attributes }: Element): string {
  const own = attributes.get('name')
  return own === undefined ? tag : `${tag}@${own}`
}
