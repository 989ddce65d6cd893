import { type Life, MeasuredKept, type Weight } from '../kept.ts'
import type { TagTable } from './tag-table.ts'

/** An entry with tags: each hit asks whether one of them was invalidated since it was loaded. */
export class TaggedKept extends MeasuredKept {
  readonly #tags: readonly string[]
  readonly #table: TagTable
  /** By then it was good. */
  #since: number

  constructor(
    key: string,
    entry: MeasuredKept['entry'],
    copy: MeasuredKept['copy'],
    weight: Weight,
    life: Life,
    {
      tags,
      table,
      born,
    }: { readonly tags: readonly string[]; readonly table: TagTable; readonly born: number },
  ) {
    super(key, entry, copy, weight, life)
    this.#tags = tags
    this.#table = table
    this.#since = born
  }

  override get tags(): readonly string[] {
    return this.#tags
  }

  override get isVoid(): boolean {
    const { last } = this.#table
    if (this.#since >= last) return false
    if (this.#table.isVoid(this.#tags, this.#since)) return true
    this.#since = last
    return false
  }
}
