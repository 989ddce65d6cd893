import { languageAttributes } from '../read/content.ts'
import { rootTag } from '../read/root-tag.ts'
import type { Element } from '../tree/element.ts'
import { isTag, propertyTag } from '../tree/names.ts'
import { jsonNumber } from '../tree/numbers.ts'
import { loopTag } from '../unfold/loop.ts'
import { type Data, type DataMap, isDataMap } from './data-kinds.ts'

/** A document as YAML and JSON write it: reading it gives the same tree. */
export function documentForm(root: Element): Data {
  const form = formOf(root)
  if (root.tag === rootTag) return form
  return new Map<string, Data>([['$tag', root.tag], ...inMapping(root, form)])
}

function formOf(own: Element): Data {
  const { attributes, text, children } = own
  const type = attributes.get('type')
  if (attributes.size === 0 && children.length === 0) return text ?? null
  if (attributes.size === 1 && type !== undefined) {
    const short = shortForm(type, text, children)
    if (short !== undefined) return short
  }
  return new Map([...attributesOf(own), ...contentOf(own)])
}

/** Numbers, booleans and lists need no attribute. */
function shortForm(type: string, text: string | undefined, children: readonly Element[]): Data | undefined {
  if (type === 'number' && text !== undefined && jsonNumber.test(text)) return { digits: text }
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true'
  if (text !== undefined) return undefined
  if (type === 'object' && children.length === 0) return new Map()
  return type === 'array' && children.every(isItem) ? children.map(formOf) : undefined
}

function isItem({ tag }: Element): boolean {
  return tag === 'e'
}

/** The parts of a form, for a mapping that has other keys, too. */
function inMapping(own: Element, form: Data): DataMap {
  if (form === null) return new Map()
  if (isDataMap(form) && form.size > 0) return form
  return new Map([...attributesOf(own), ...contentOf(own)])
}

function attributesOf({ attributes }: Element): DataMap {
  const isKnown = (name: string): boolean => languageAttributes.includes(name)
  const own = [...attributes]
    .filter(([name]) => isKnown(name))
    .map(([name, value]) => [`$${name}`, value] as const)
  const others = [...attributes].filter(([name]) => !isKnown(name))
  return new Map<string, Data>([
    ...own,
    ...(others.length === 0 ? [] : [['$attributes', new Map(others)] as const]),
  ])
}

function contentOf(own: Element): DataMap {
  const { text, children } = own
  if (children.length === 0) return new Map(text === undefined ? [] : [['$text', text]])
  if (children.every(isItem)) return new Map([['$items', children.map(formOf)]])
  return keyed(children) ?? new Map([['$children', children.map((child) => new Map([childForm(child)]))]])
}

/** Children as keys of a mapping, if each key is there once and loops stand together. */
function keyed(children: readonly Element[]): DataMap | undefined {
  const forms = new Map<string, Data>()
  let last: string | undefined
  for (const child of children) {
    const isLoop = child.tag === loopTag && child.attributes.has('name')
    const [key, form] = isLoop ? ['$foreach', loops(child, forms, last)] : childForm(child)
    if (form === undefined || (forms.has(key) && !isLoop)) return undefined
    forms.set(key, form)
    last = key
  }
  return forms
}

/** The loops so far and one more; `undefined` if another child or the same name came before. */
function loops(child: Element, forms: DataMap, last: string | undefined): Data | undefined {
  const name = keyText(child.attributes.get('name') ?? '')
  const before = forms.get('$foreach') as DataMap | undefined
  if (before !== undefined && (last !== '$foreach' || before.has(name))) return undefined
  const attributes = new Map([...child.attributes].filter(([one]) => one !== 'name'))
  const own = { ...child, attributes }
  const isPlain = attributes.size === 0 && child.children.length > 0 && child.children.every(isItem)
  return new Map([...(before ?? []), [name, isPlain ? child.children.map(formOf) : formOf(own)]])
}

function childForm(child: Element): readonly [string, Data] {
  const name = child.attributes.get('name')
  if (child.tag !== propertyTag || name === undefined || isTag(name)) return [child.tag, formOf(child)]
  const attributes = new Map([...child.attributes].filter(([one]) => one !== 'name'))
  return [keyText(name), formOf({ ...child, attributes })]
}

/** `$x` is written `$$x`. */
function keyText(key: string): string {
  return key.startsWith('$') ? `$${key}` : key
}
