import { type Life, MeasuredEntry, type Weight } from '../values/cached-entry.ts'
import type { TagTable } from './tag-table.ts'

/** How long an entry with tags is good. */
export interface TaggedLife extends Life {
  readonly tags: readonly string[]
  readonly table: TagTable
  /** When its load began, in the order of the invalidations. */
  readonly born: number
}

/** An entry with tags: each hit asks whether one of them was invalidated since it was loaded. */
export class TaggedEntry extends MeasuredEntry {
  readonly #origin: TaggedLife
  /** When it was last known to be valid. */
  #since: number

  constructor(
    key: string,
    entry: MeasuredEntry['entry'],
    copy: MeasuredEntry['copy'],
    weight: Weight,
    origin: TaggedLife,
  ) {
    super(key, entry, copy, weight, origin)
    this.#origin = origin
    this.#since = origin.born
  }

  /** When it was last known to be valid, in the order of invalidations. */
  get born(): number {
    return this.#since
  }

  override get tags(): readonly string[] {
    return this.#origin.tags
  }

  override get isVoid(): boolean {
    const { tags, table } = this.#origin
    const { last } = table
    if (this.#since >= last) return false
    if (table.isVoid(tags, this.#since)) return true
    this.#since = last
    return false
  }
}
