import type { Bytes, GroupEntry, GroupRange } from '@unikv/core'
import { type GroupHead, type GroupLook, groupBounds } from '@unikv/core/adapter'
import type { LmdbDatabase, LmdbSnapshot } from '../client/lmdb-client.ts'
import { groupEnd, groupStart, recordKey } from './group-keys.ts'
import { headIn, numberIn, valueIn } from './group-values.ts'

/** A group in one snapshot, or inside a write transaction. */
export class GroupView implements GroupLook {
  readonly head: GroupHead
  /** The stored head. */
  readonly storedHead: Buffer | undefined
  readonly start: Buffer
  readonly #database: LmdbDatabase
  readonly #snapshot: LmdbSnapshot | undefined

  /** `snapshot`: `undefined` inside a write transaction. */
  constructor(database: LmdbDatabase, group: string, snapshot: LmdbSnapshot | undefined) {
    this.#database = database
    this.#snapshot = snapshot
    this.start = groupStart(group)
    this.storedHead = this.#stored(this.start)
    this.head = headIn(this.storedHead)
  }

  numberOf(key: string): number | undefined {
    const stored = this.#stored(recordKey(this.start, key))
    return stored === undefined ? undefined : numberIn(stored)
  }

  valueOf(key: string): Bytes | undefined {
    const stored = this.#stored(recordKey(this.start, key))
    return stored === undefined ? undefined : valueIn(stored)
  }

  numbersIn(range: GroupRange): readonly (readonly [key: string, number: number])[] {
    return Array.from(this.#rows(range), ({ key, stored }) => [key, numberIn(stored)] as const)
  }

  entriesIn(range: GroupRange): readonly GroupEntry[] {
    return Array.from(this.#rows(range), ({ key, stored }) => ({ key, value: valueIn(stored) }))
  }

  /** Whether it has no records. */
  get isEmpty(): boolean {
    for (const _ of this.#rows({ prefix: '', limit: 1 })) return false
    return true
  }

  *#rows(range: GroupRange): Generator<{ readonly key: string; readonly stored: Buffer }> {
    if (range.limit < 1) return
    const { start, end } = groupBounds(range)
    // The head has the empty key, and is before all others.
    const first = start.length === 0 ? Buffer.of(0) : start
    const bounds = {
      start: recordKey(this.start, first),
      end: end === undefined ? groupEnd(this.start) : recordKey(this.start, end),
      ...(Number.isFinite(range.limit) && { limit: range.limit }),
    }
    if (Buffer.compare(bounds.start, bounds.end) >= 0) return
    for (const { key, value } of this.#database.getRange({ ...bounds, ...this.#snapshot }))
      yield { key: Buffer.from(key.subarray(this.start.length)).toString(), stored: value }
  }

  #stored(key: Buffer): Buffer | undefined {
    if (this.#snapshot === undefined) return this.#database.getBinary(key)
    const found = this.#database.getBinaryFast(key, this.#snapshot)
    if (found === undefined) return undefined
    // The length is that of the value; the memory behind it may be longer.
    const { length } = found
    const copy = Buffer.allocUnsafe(length)
    Buffer.from(found.buffer, found.byteOffset, length).copy(copy)
    return copy
  }
}
