import { type Element, element, valueOf, withChildren, without } from '../tree/element.ts'
import { limits } from '../tree/limits.ts'
import { merge } from '../tree/merge.ts'
import { type Steps, stepsOf } from '../tree/path.ts'
import { pathOf, wrongAt } from '../tree/trail.ts'
import { Site } from './site.ts'

/**
 * A document with the target of each reference in its place.
 *
 * @throws {StoreError} `INVALID_CONFIG` if a target is missing, or references lead in a circle
 */
export function referred(root: Element): Element {
  return new References().resolved(new Site(root))
}

class References {
  readonly #resolved = new Map<Site, Element>()
  readonly #targets = new Map<Site, Site>()
  /** Places that are being resolved, and references that are being followed, in this order. */
  readonly #open: Site[] = []
  readonly #following = new Set<Site>()

  /** An element with what it refers to. A target is resolved at its own place. */
  resolved(site: Site): Element {
    const known = this.#resolved.get(site)
    if (known !== undefined) return known
    this.#enter(site)
    const { element: own } = site
    let at = 0
    const inner = withChildren(own, () => this.resolved(site.sites[at++] as Site))
    const result = own.attributes.has('ref') ? this.#overTarget(inner, site) : inner
    this.#open.pop()
    this.#resolved.set(site, result)
    return result
  }

  #overTarget(inner: Element, site: Site): Element {
    const target = this.#target(site)
    if (this.#open.includes(target)) throw wrongAt(site, circle(this.#open, target, site))
    const found = this.resolved(target)
    const own = element({ ...inner, attributes: without(inner.attributes, 'ref') })
    // An expression over another one works on its value.
    const isEmpty = own.children.length === 0 && valueOf(own) === undefined
    if (isEmpty && own.attributes.has('exp') && found.attributes.has('exp'))
      return element({ ...own, children: [element({ ...found, tag: 'e' })] })
    return merge(own, found, ['name'])
  }

  /** The place that a reference leads to: from the parent on upwards, the first one where the whole path is found. */
  #target(site: Site): Site {
    const known = this.#targets.get(site)
    if (known !== undefined) return known
    const ref = site.element.attributes.get('ref') ?? ''
    const steps = stepsOf(ref)
    if (steps === undefined) throw wrongAt(site, `ref="${ref}" must be tags with / between them, such as a/b`)
    if (this.#following.has(site)) throw wrongAt(site, circle([...this.#following], site, site))
    this.#following.add(site)
    if (this.#following.size > limits.steps) throw wrongAt(site, tooLong)
    const target = this.#search(site, steps)
    this.#following.delete(site)
    if (target === undefined)
      throw wrongAt(
        site,
        `ref="${ref}" of <${site.element.tag}> leads to no element, neither beside it nor above`,
      )
    this.#targets.set(site, target)
    return target
  }

  #search(site: Site, steps: Steps): Site | undefined {
    let branch = site
    for (let at = site.parent; at !== undefined; at = at.parent) {
      // The branch that holds the reference is not entered.
      if (at.first(steps[0] as string) !== branch) {
        const found = this.#walk(at, steps)
        if (found !== undefined) return found
      }
      branch = at
    }
    return undefined
  }

  #walk(from: Site, steps: Steps): Site | undefined {
    let at: Site | undefined = from
    for (const step of steps) if (at !== undefined) at = this.#step(at, step)
    return at
  }

  /** A child, or one of what the element refers to. */
  #step(from: Site, step: string): Site | undefined {
    const passed = new Set<Site>()
    for (let at = from; ; at = this.#target(at)) {
      const child = at.first(step)
      if (child !== undefined) return child
      if (!at.element.attributes.has('ref')) return undefined
      if (passed.has(at)) throw wrongAt(at, circle([...passed], at, at))
      passed.add(at)
    }
  }

  #enter(site: Site): void {
    this.#open.push(site)
    if (this.#open.length > limits.steps) throw wrongAt(site, tooLong)
  }
}

const tooLong = `more than ${limits.steps} references and elements lead to one another`

/** The references between a place and itself. */
function circle(open: readonly Site[], target: Site, last: Site): string {
  const between = open.slice(open.indexOf(target)).filter(({ element: own }) => own.attributes.has('ref'))
  const sites = between.includes(last) ? between : [...between, last]
  const paths = sites.map((site) => pathOf(site))
  return `the references lead in a circle: ${[...paths, paths[0]].join(' → ')}`
}
