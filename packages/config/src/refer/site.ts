import type { Element } from '../tree/element.ts'
import { stepTo } from '../tree/path.ts'
import type { Trail } from '../tree/trail.ts'

/**
 * An element at its place in a document. Elements are shared between places, and a reference means something else at each.
 */
export class Site implements Trail {
  readonly element: Element
  readonly parent: Site | undefined
  #sites: readonly Site[] | undefined
  #firsts: ReadonlyMap<string, Site> | undefined

  constructor(element: Element, parent?: Site) {
    this.element = element
    this.parent = parent
  }

  /** The places of the children. */
  get sites(): readonly Site[] {
    this.#sites ??= this.element.children.map((child) => new Site(child, this))
    return this.#sites
  }

  /** The first child that a step of a path leads to. */
  first(step: string): Site | undefined {
    if (this.#firsts === undefined) {
      const firsts = new Map<string, Site>()
      for (const site of this.sites) {
        const name = stepTo(site.element)
        if (!firsts.has(name)) firsts.set(name, site)
      }
      this.#firsts = firsts
    }
    return this.#firsts.get(step)
  }
}
