import { type Element, element, valueOf, without } from './element.ts'
import { matchName } from './names.ts'

/**
 * An element over the one that it extends. Its content wins; children of the base that it does not have keep their order,
 * and its other children come last.
 *
 * @param kept attributes that are not inherited
 */
export function merge(own: Element, base: Element, kept: readonly string[] = []): Element {
  const attributes = mergedAttributes(own, base, kept)
  const { tag, place } = own
  if (own.children.length > 0) {
    const children = mergedChildren(own.children, base.children)
    return element({ tag, place, attributes, children })
  }
  if (valueOf(own) !== undefined) return element({ tag, place, attributes, text: own.text })
  return element({ tag, place, attributes, text: base.text, children: base.children })
}

/** The k-th child of a name matches the k-th of that name. */
function mergedChildren(own: readonly Element[], base: readonly Element[]): readonly Element[] {
  const places = placesByName(own)
  const used = new Set<number>()
  const merged = base.map((child) => {
    const at = places.get(matchName(child))?.pop()
    if (at === undefined) return child
    used.add(at)
    const over = own[at] as Element
    return over.size.isDeep ? merge(over, child) : replaced(over, child)
  })
  return [...merged, ...own.filter((_, at) => !used.has(at))]
}

/** Where the children of each name are, the first one at the end. */
function placesByName(children: readonly Element[]): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>()
  for (let at = children.length - 1; at >= 0; at--) {
    const name = matchName(children[at] as Element)
    const list = places.get(name)
    if (list === undefined) places.set(name, [at])
    else list.push(at)
  }
  return places
}

/** A child takes the place of one of the base, and inherits the attributes that it lacks. */
function replaced(own: Element, base: Element): Element {
  return element({ ...own, attributes: mergedAttributes(own, base) })
}

function mergedAttributes(
  own: Element,
  base: Element,
  kept: readonly string[] = [],
): ReadonlyMap<string, string> {
  const lacking = [...base.attributes].filter(
    ([name]) => !own.attributes.has(name) && !kept.includes(name) && inherits(own, name),
  )
  const attributes = without(own.attributes, 'extends')
  return lacking.length === 0 ? attributes : new Map([...attributes, ...lacking])
}

/** Some attributes give an element its content: one that has its own does not inherit them. */
function inherits(own: Element, name: string): boolean {
  const { attributes, children } = own
  const hasText = valueOf(own) !== undefined
  if (name === 'extends') return false
  if (name === 'exp') return !hasText && !attributes.has('ref')
  if (name === 'value' || name === 'ref')
    return !hasText && children.length === 0 && !attributes.has('ref') && !attributes.has('exp')
  if (own.tag !== 'foreach') return true
  const isBound = children.length > 0 || attributes.has('sep') || attributes.has('range')
  if (name === 'sep') return !isBound
  return name !== 'range' || (!isBound && !hasText)
}
