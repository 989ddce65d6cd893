import { heard } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import type { Flight } from '../loads/flight.ts'
import { areTags, keyOf, maxTags } from './tag-names.ts'
import { type Order, TagTable } from './tag-table.ts'

/** The tags of a value, from its key and itself; `undefined` is absent. */
export type TagsOf = (key: string, value: unknown) => readonly string[]

/** When a load began, and the tags that its caller or the loader told. */
export interface Origin {
  readonly born: number
  readonly tags: readonly string[] | undefined
}

/** It is void already, or its tags are unknown: it must not be kept. */
export const unkept: unique symbol = Symbol('unkept')

/** The handling of tags by a cache in this process. */
export class Tagging {
  readonly table: TagTable
  readonly #tagsOf: TagsOf | undefined
  readonly #counters: Counters

  constructor(tagsOf: TagsOf | undefined, order: Order, counters: Counters) {
    this.#tagsOf = tagsOf
    this.#counters = counters
    this.table = new TagTable(order)
  }

  /**
   * The tags of what a load brought, together with those that the same value had before. If one of them was invalidated
   * since the load began, or may have been, it serves no later caller.
   */
  land(
    flight: Flight,
    value: unknown,
    { born, tags: told }: Origin,
    former?: readonly string[],
  ): readonly string[] | undefined | typeof unkept {
    // A loader can name tags for a value, but not for an absent one.
    if (value === undefined && born < this.table.last) return this.#void(flight, born)
    if (this.#tagsOf === undefined && told === undefined && former === undefined) return undefined
    const tags = this.#all(flight.key, value, told, former)
    if (tags === unkept) {
      if (!flight.overtaken) this.#counters.refusals++
      return born < this.table.last ? this.#void(flight, born) : unkept
    }
    if (this.table.isVoid(tags, born)) return this.#void(flight, born)
    return tags.length === 0 ? undefined : tags
  }

  #void(flight: Flight, born: number): typeof unkept {
    flight.validFor = Math.min(flight.validFor, born)
    return unkept
  }

  /** A function that throws, or answers no tags, has not said that there are none. */
  #all(
    canonical: string,
    value: unknown,
    told: readonly string[] = [],
    former: readonly string[] = [],
  ): readonly string[] | typeof unkept {
    let own: unknown = []
    try {
      own = this.#tagsOf === undefined ? [] : heard(this.#tagsOf(keyOf(canonical), value))
    } catch {
      return unkept
    }
    if (!areTags(own)) return unkept
    const all = new Set([...own, ...told, ...former])
    return all.size > maxTags ? unkept : Array.from(all)
  }
}
