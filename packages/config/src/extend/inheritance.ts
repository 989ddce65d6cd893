import { dirname } from 'node:path'
import { type ExtendPath, extendPaths } from '../files/extend-path.ts'
import type { Sources } from '../files/sources.ts'
import { type Element, element, withChildren } from '../tree/element.ts'
import { limits } from '../tree/limits.ts'
import { merge } from '../tree/merge.ts'
import { childAt, elementAt, type Steps } from '../tree/path.ts'
import { pathOf, type Trail, wrongAt } from '../tree/trail.ts'
import { instead, shownFile } from '../tree/wrong.ts'
import type { SystemValues } from './system-values.ts'

/** Resolves `extends`: every element gets the content of the documents that it extends. */
export class Inheritance {
  readonly #sources: Sources
  readonly #system: SystemValues
  /** The documents that are being resolved, each extended by the one before. */
  readonly #open: string[] = []
  /** Documents that were resolved by themselves. */
  readonly #resolvedAlone = new Map<string, Element>()
  #depth = 0
  #merged = 0

  constructor(sources: Sources, system: SystemValues) {
    this.#sources = sources
    this.#system = system
  }

  /**
   * A document with everything that it extends.
   *
   * @param base what lies below all that it extends
   * @throws {StoreError} `INVALID_CONFIG` with file, line and path
   */
  document(root: Element, base?: Element): Element {
    const trail: Trail = { element: root, parent: undefined }
    return this.#inside(`${root.place.file}#`, trail, () => this.#resolved(trail, base))
  }

  /** An element over its bases, the lowest one first. */
  #resolved(trail: Trail, below: Element | undefined): Element {
    if (++this.#depth > limits.steps)
      throw wrongAt(trail, `more than ${limits.steps} elements extend one another`)
    const { element: own } = trail
    const resolved = withChildren(own, (child) =>
      this.#resolved({ element: child, parent: trail }, undefined),
    )
    const paths = this.#pathsOf(trail)
    let base = below
    for (const path of paths) base = this.#layer(path, trail, base)
    this.#depth--
    if (base === undefined) return resolved
    const merged = this.#merge(resolved, base, trail)
    // The merges that are asked for inside have found their base, which is none of the elements above.
    return paths.length > 0 ? element(merged, true) : merged
  }

  /** Mixins of mixins may be merged many times without becoming larger. */
  #merge(own: Element, base: Element, trail: Trail): Element {
    this.#merged += 20 + own.size.elements + base.size.elements
    if (this.#merged > limits.merged)
      throw wrongAt(trail, `more than ${limits.merged} elements would be merged. Check whether mixins repeat`)
    return merge(own, base)
  }

  #pathsOf(trail: Trail): readonly ExtendPath[] {
    const attribute = trail.element.attributes.get('extends')
    if (attribute === undefined || attribute === '.') return []
    const paths = extendPaths(attribute)
    if (typeof paths === 'string') throw wrongAt(trail, paths)
    return paths
  }

  /** One of the documents that an element extends, over those before it. */
  #layer(path: ExtendPath, trail: Trail, base: Element | undefined): Element {
    if (path.scheme !== 'sys') return this.#fromFile(path, trail, base)
    const value = this.#system.at(path, trail)
    return base === undefined ? value : this.#merge(value, base, trail)
  }

  #fromFile(path: ExtendPath, trail: Trail, base: Element | undefined): Element {
    const source = this.#sources.at(path, dirname(trail.element.place.file))
    if ('error' in source) throw source.error
    if ('problem' in source) throw wrongAt(trail, `extends: ${source.problem}`)
    const key = `${source.file}#${path.steps.join('/')}`
    const root: Trail = { element: source.root, parent: undefined }
    if (base !== undefined && path.steps.length === 0)
      return this.#inside(key, trail, () => this.#resolved(root, base))
    const alone = this.#resolvedAlone.get(key) ?? this.#inside(key, trail, () => this.#at(root, path.steps))
    if (alone === undefined) throw wrongAt(trail, missing(path, source.root))
    this.#resolvedAlone.set(key, alone)
    return base === undefined ? alone : this.#merge(alone, base, trail)
  }

  /** An element inside of a document. Only what the path passes is resolved, so a document may extend parts of itself. */
  #at(trail: Trail, steps: Steps): Element | undefined {
    const [step, ...others] = steps
    if (step === undefined) return this.#resolved(trail, undefined)
    const isPlain = !trail.element.attributes.has('extends')
    if (!isPlain) return elementAt(this.#resolved(trail, undefined), steps)
    const child = childAt(trail.element, step)
    return child === undefined ? undefined : this.#at({ element: child, parent: trail }, others)
  }

  #inside<T>(key: string, trail: Trail, make: () => T): T {
    const from = this.#open.indexOf(key)
    if (from >= 0)
      throw wrongAt(
        trail,
        `the documents extend each other in a circle: ${circle(this.#open.slice(from), key)}`,
      )
    if (this.#open.length >= limits.depth)
      throw wrongAt(trail, `more than ${limits.depth} documents extend one another`)
    this.#open.push(key)
    const made = make()
    this.#open.pop()
    return made
  }
}

function circle(keys: readonly string[], again: string): string {
  return [...keys, again].map((key) => shownFile(key.replace(/#$/, ''))).join(' → ')
}

function missing({ written }: ExtendPath, root: Element): string {
  const tags = root.children.map(({ tag }) => tag)
  const inside = written.replace(/^.*#/s, '')
  return `extends: there is no element '${inside}' in ${pathOf({ element: root, parent: undefined })} of ${shownFile(root.place.file)}. ${instead(inside, [...new Set(tags)].slice(0, 20))}`
}
