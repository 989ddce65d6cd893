import type { Search } from '../evaluate/search.ts'
import { type Element, element } from '../tree/element.ts'
import { keyOf } from '../tree/names.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import { type Loop, loopOf, loopTag } from './loop.ts'

/** The documents that the loops of a root unfold into: their product, in which the first loop varies slowest. */
export class Unfolding {
  readonly #root: Element
  readonly #loops: readonly Loop[]
  /** Number of documents; it may be far more than can be unfolded. */
  readonly count: number

  /** @throws {StoreError} `INVALID_CONFIG` for a loop that is not right, or not a child of the root */
  constructor(root: Element, search: Search) {
    const trail: Trail = { element: root, parent: undefined }
    this.#root = root
    this.#loops = root.children
      .filter(({ tag }) => tag === loopTag)
      .map((loop) => loopOf({ element: loop, parent: trail }, search))
    this.count = this.#loops.reduce((product, { count }) => product * count, 1)
    checkNames(root, this.#loops)
    checkPlaces(trail)
  }

  /** The document of an index from 0 to below `count`. */
  at(index: number): Element {
    if (this.#loops.length === 0) return this.#root
    const bindings = this.#bindings(index)
    const children = this.#root.children.map((child) =>
      child.tag === loopTag ? (bindings.shift() as Element) : child,
    )
    return element({ ...this.#root, children })
  }

  /** The names of the loops, and the index of the value of each in a document. */
  positions(index: number): ReadonlyMap<string, number> {
    return new Map(this.#indexes(index).map((at, i) => [(this.#loops[i] as Loop).name, at]))
  }

  #bindings(index: number): Element[] {
    return this.#indexes(index).map((at, i) => (this.#loops[i] as Loop).at(at))
  }

  /** The digits of an index: the last loop varies fastest. */
  #indexes(index: number): number[] {
    let rest = index
    const indexes = this.#loops.toReversed().map(({ count }) => {
      const at = rest % count
      rest = Math.floor(rest / count)
      return at
    })
    return indexes.reverse()
  }
}

/** A binding beside an element of the same key would be found by neither references nor people. */
function checkNames(root: Element, loops: readonly Loop[]): void {
  const bound = new Set<string>()
  for (const { name } of loops) {
    const trail: Trail = { element: root, parent: undefined }
    if (bound.has(name)) throw wrongAt(trail, `two foreach have the name ${name}`)
    bound.add(name)
  }
  for (const child of root.children)
    if (child.tag !== loopTag && bound.has(keyOf(child)))
      throw wrongAt(
        { element: child, parent: { element: root, parent: undefined } },
        'a foreach binds this name, too',
      )
}

/** The place for a loop: in a suite beside its job, in a job at the top. */
function placeFor({ tag, children }: Element): string {
  const [job, second] = children.filter((child) => child.tag !== loopTag)
  return job !== undefined && second === undefined
    ? `It makes a suite of several ${job.tag}s: move it out, beside ${job.tag}`
    : `Move it out, into ${tag}`
}

function checkPlaces(root: Trail): void {
  const waiting: Trail[] = root.element.children.flatMap((child) => {
    const parent: Trail = { element: child, parent: root }
    return child.children.map((inner) => ({ element: inner, parent }))
  })
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const parent = at
    if (at.element.tag === loopTag)
      throw wrongAt(at, `foreach is allowed as a child of the root only. ${placeFor(root.element)}`)
    for (const child of at.element.children) waiting.push({ element: child, parent })
  }
}
