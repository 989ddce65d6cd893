import type { StoreError } from '@unikv/core'
import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'
import { type Element, element } from '../tree/element.ts'
import { limits } from '../tree/limits.ts'
import { isTag, taggedBy } from '../tree/names.ts'
import { type Place, wrong } from '../tree/wrong.ts'
import { checkContent } from './check-content.ts'
import { type Content, type ContentPart, readContent } from './content.ts'
import { parseYaml } from './parse-yaml.ts'
import { rootTag } from './root-tag.ts'
import { type TypedText, typedText } from './typed-text.ts'

/**
 * The tree of a document in YAML or JSON.
 *
 * @throws {StoreError} `INVALID_CONFIG` that names file and line
 */
export function readYaml(text: string, file: string, isJson: boolean): Element {
  const { document, lines } = parseYaml(text, file, isJson)
  const { contents } = document
  if (contents === null) throw wrong({ file, line: 1 }, 'the file is empty')
  return new TreeReader(file, lines).root(contents)
}

/** Turns nodes into elements. A node that several aliases name is read once, and its elements are shared. */
class TreeReader {
  readonly #file: string
  readonly #lines: LineCounter
  readonly #contents = new Map<Node, Content>()
  readonly #open = new Set<Node>()
  /** The nodes that aliases name; the parser would search the whole document for each. */
  readonly #anchors = new Map<string, Node>()
  /** Keys from the root to what is read. */
  readonly #path: string[] = []

  constructor(file: string, lines: LineCounter) {
    this.#file = file
    this.#lines = lines
  }

  root(node: Node): Element {
    const place = this.#placeOf(node)
    const { tag = rootTag, ...content } = this.#content(node, place, true)
    if (!isTag(tag)) throw this.#wrong(place, `$tag: '${tag}' cannot be the name of an element`)
    return this.#element({ tag, attributes: new Map() }, content, place)
  }

  /** An element with a key and what stands behind it. */
  #element(
    tagged: ReturnType<typeof taggedBy>,
    { attributes, text, children }: Content,
    place: Place,
  ): Element {
    if (tagged.attributes.has('name') && attributes.has('name'))
      throw this.#wrong(
        place,
        `the key '${tagged.attributes.get('name')}' cannot be a tag, so it takes no $name`,
      )
    const parts = {
      tag: tagged.tag,
      place,
      attributes: new Map([...tagged.attributes, ...attributes]),
      text,
      children,
    }
    checkContent(parts, [...this.#path].join('/') || tagged.tag)
    return element(parts)
  }

  #content(given: Node | null, place: Place, isRoot = false): Content {
    const node = this.#resolved(given)
    if (node === null) return { attributes: new Map(), text: undefined, children: [] }
    const known = this.#contents.get(node)
    if (known !== undefined) return known
    if (this.#open.has(node)) throw this.#wrong(place, 'an alias stands inside the value that it names')
    if (this.#open.size > limits.depth)
      throw this.#wrong(place, `the document has more than ${limits.depth} levels`)
    this.#open.add(node)
    const content = this.#read(node, place, isRoot)
    this.#open.delete(node)
    this.#contents.set(node, content)
    return content
  }

  #read(node: Node, place: Place, isRoot: boolean): Content {
    if (isScalar(node)) {
      const { text, type } = typedText(node, place)
      return { attributes: new Map(type === undefined ? [] : [['type', type]]), text, children: [] }
    }
    if (isSeq(node))
      return { attributes: new Map([['type', 'array']]), text: undefined, children: this.#items(node.items) }
    if (isMap(node)) return readContent(this.#parts(node.items), place, isRoot)
    throw this.#wrong(place, 'only mappings, lists and scalars can stand here')
  }

  #items(items: readonly unknown[]): readonly Element[] {
    return items.map((item) => {
      const place = this.#placeOf(item as Node)
      const tagged = { tag: 'e', attributes: new Map<string, string>() }
      return this.#within('e', () => this.#element(tagged, this.#content(item as Node, place), place))
    })
  }

  /** The keys of a mapping, with what can be made of each value. */
  #parts(pairs: readonly Pair[]): readonly ContentPart[] {
    const seen = new Set<string>()
    return pairs.map((pair) => {
      const place = this.#placeOf(pair.key as Node)
      const key = this.#keyOf(pair, place)
      if (seen.has(key)) throw this.#wrong(place, `the key ${key} is there twice`)
      seen.add(key)
      return this.#part(key, pair.value as Node | null, place)
    })
  }

  /** Nothing is read before it is asked for, so that anchors are met before their aliases. */
  #part(key: string, given: Node | null, place: Place): ContentPart {
    return {
      key,
      place,
      path: this.#path.join('/'),
      scalar: () => this.#scalar(given, key, place),
      named: (own) =>
        this.#within(own, () => this.#element(taggedBy(own), this.#content(given, place), place)),
      tagged: (tag, attributes) =>
        this.#within(tag, () => this.#tagged(tag, attributes, this.#content(given, place), place)),
      items: () => this.#items(this.#list(given, place, `${key} must be a list`)),
      maps: () =>
        this.#list(given, place, `${key} must be a list of mappings with one key each`).map(
          (item) => () => this.#only(item as Node, key),
        ),
      parts: () => {
        const node = this.#resolved(given)
        if (!isMap(node)) throw this.#wrong(place, `${key} must be a mapping`)
        return this.#parts(node.items)
      },
    }
  }

  #scalar(given: Node | null, key: string, place: Place): TypedText {
    const node = this.#resolved(given)
    if (node === null) return {}
    if (!isScalar(node)) throw this.#wrong(place, `${key} must be a text, a number or a boolean`)
    return typedText(node, place)
  }

  /** The children of a list are not an array here. */
  #tagged(tag: string, own: ReadonlyMap<string, string>, content: Content, place: Place): Element {
    const kept = [...content.attributes].filter(([name, value]) => name !== 'type' || value !== 'array')
    const attributes = new Map([...own, ...kept])
    return this.#element({ tag, attributes: new Map() }, { ...content, attributes }, place)
  }

  #list(given: Node | null, place: Place, says: string): readonly unknown[] {
    const node = this.#resolved(given)
    if (!isSeq(node)) throw this.#wrong(place, says)
    return node.items
  }

  /** The one key of a mapping. */
  #only(given: Node, key: string): ContentPart {
    const place = this.#placeOf(given)
    const node = this.#resolved(given)
    const parts = isMap(node) ? this.#parts(node.items) : []
    if (parts.length !== 1)
      throw this.#wrong(place, `each item of ${key} must be a mapping with one key, such as - host: db1`)
    return parts[0] as ContentPart
  }

  #keyOf(pair: Pair, place: Place): string {
    const key = this.#resolved(pair.key as Node | null)
    if (!isScalar(key) || key.value === null) throw this.#wrong(place, 'a key must be a text')
    const text = typeof key.value === 'string' ? key.value : (key.source ?? '')
    // In quotes, and in JSON, it is a key like others.
    if (text === '<<' && key.type === 'PLAIN')
      throw this.#wrong(place, 'the key << is not read here. Use $extends or $ref')
    return text
  }

  #within<T>(step: string, make: () => T): T {
    this.#path.push(step)
    const made = make()
    this.#path.pop()
    return made
  }

  #wrong(place: Place, says: string): StoreError {
    return wrong(place, says, this.#path.length === 0 ? undefined : this.#path.join('/'))
  }

  #resolved(given: Node | null): Node | null {
    if (isAlias(given)) {
      const node = this.#anchors.get(given.source)
      if (node !== undefined) return node
      throw this.#wrong(
        this.#placeOf(given),
        'the alias names nothing above it. Put a text that begins with * in quotes',
      )
    }
    const { anchor } = (given ?? {}) as { readonly anchor?: string }
    if (given !== null && anchor !== undefined) this.#anchors.set(anchor, given)
    return given
  }

  #placeOf(node: Node | null): Place {
    const position = node?.range?.[0]
    return { file: this.#file, line: position === undefined ? 1 : this.#lines.linePos(position).line }
  }
}
