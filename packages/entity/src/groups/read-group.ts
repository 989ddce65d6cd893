import type { Bytes, GroupChange, GroupEntry, GroupRange } from '@unikv/core'
import { checkGroupKey, compareKeys, StoreError } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { encodeGroup, entriesIn, type GroupRecord, nextRecord } from './group-record.ts'
import { newToken } from './token.ts'

/** The longest name of a group and key in it, whose length has two bytes in the record. */
const longestKeyBytes = 0xffff
const noEntries: ReadonlyMap<string, Bytes> = new Map()

/** The store of a group, and the longest record that it takes. */
export interface RecordLimits {
  readonly name: string
  readonly maxValueBytes: number
}

/** The record that a commit leaves. */
export interface NextGroup {
  readonly bytes: Bytes
  readonly token: string
}

/** A group in one record, as a transaction has found it. */
export class ReadGroup {
  readonly group: string
  readonly #store: RecordLimits
  readonly #record: GroupRecord | undefined

  constructor(store: RecordLimits, group: string, record: GroupRecord | undefined) {
    this.#store = store
    this.group = group
    this.#record = record
  }

  get(keys: readonly string[]): readonly (Bytes | undefined)[] {
    return keys.map((key) => this.#entries.get(key))
  }

  list(range: GroupRange): readonly GroupEntry[] {
    return entriesIn(this.#entries, range)
  }

  rollback(): void {
    // Nothing is held.
  }

  /**
   * The record after these changes.
   *
   * @throws {StoreError} `KEY_TOO_LONG`, `VALUE_TOO_LARGE`
   */
  next(changes: readonly GroupChange[]): NextGroup {
    for (const { key } of changes) checkGroupKey(this.group, key, longestKeyBytes)
    const token = newToken()
    const entries = changed(this.#entries, changes)
    const bytes = encodeGroup(nextRecord(this.#record, entries, token, wallClock()))
    this.#checkSize(bytes.length)
    return { bytes, token }
  }

  get #entries(): GroupRecord['entries'] {
    return this.#record?.entries ?? noEntries
  }

  #checkSize(bytes: number): void {
    const { maxValueBytes, name } = this.#store
    if (bytes <= maxValueBytes) return
    const message = `The group would have ${bytes} bytes in one record, and ${name} takes ${maxValueBytes}. Use smaller groups, or native transactions.`
    throw new StoreError('VALUE_TOO_LARGE', message, { operation: 'commit', store: name })
  }
}

/** The entries after these changes, in the order of keys. */
function changed(
  entries: ReadonlyMap<string, Bytes>,
  changes: readonly GroupChange[],
): ReadonlyMap<string, Bytes> {
  const next = new Map(entries)
  let isOrdered = true
  for (const { key, value } of changes) {
    if (value === undefined) next.delete(key)
    else {
      isOrdered &&= next.has(key)
      next.set(key, value)
    }
  }
  return isOrdered ? next : new Map([...next].sort(([a], [b]) => compareKeys(a, b)))
}
