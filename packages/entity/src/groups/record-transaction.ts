import type { Bytes, GroupCall, GroupChange, GroupEntry, GroupRange, GroupTransaction } from '@unikv/core'
import {
  checkGroupKey,
  compareKeys,
  type Fate,
  isOutcomeUnknown,
  StoreError,
  settled,
} from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { encodeGroup, entriesIn, fateOf, type GroupRecord, nextRecord } from './group-record.ts'
import type { FoundGroup, RecordStore } from './record-store.ts'
import { newToken } from './token.ts'

/** The longest name of a group and key in it, whose length has two bytes in the record. */
const longestKeyBytes = 0xffff
const noEntries: ReadonlyMap<string, Bytes> = new Map()

/** A transaction on a group in one record: it reads the record as it was found, and its commit replaces just that. */
export class RecordTransaction implements GroupTransaction {
  readonly #store: RecordStore
  readonly #group: string
  readonly #found: FoundGroup | undefined
  readonly #call: GroupCall

  constructor(store: RecordStore, group: string, found: FoundGroup | undefined, call: GroupCall) {
    this.#store = store
    this.#group = group
    this.#found = found
    this.#call = call
  }

  get(keys: readonly string[]): readonly (Bytes | undefined)[] {
    return keys.map((key) => this.#entries.get(key))
  }

  list(range: GroupRange): readonly GroupEntry[] {
    return entriesIn(this.#entries, range)
  }

  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    if (changes.length === 0) return true
    for (const { key } of changes) checkGroupKey(this.#group, key, longestKeyBytes)
    const token = newToken()
    const entries = changed(this.#entries, changes)
    const bytes = encodeGroup(nextRecord(this.#found?.record, entries, token, wallClock()))
    this.#checkSize(bytes.length)
    try {
      return await this.#store.replace(this.#group, bytes, this.#found, this.#call)
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      return settled(this.#call, error, () => this.#settle(bytes, token))
    }
  }

  rollback(): void {
    // Nothing is held.
  }

  get #entries(): GroupRecord['entries'] {
    return this.#found?.record.entries ?? noEntries
  }

  /**
   * The record tells whether the commit came. If it is as before, the same commit is made again, because at most one of the two can replace that
   * version, whichever comes first.
   */
  async #settle(bytes: Bytes, token: string): Promise<Fate> {
    const now = await this.#store.read(this.#group, this.#call)
    if (this.#found === undefined || now?.version !== this.#found.version) return this.#fateOf(now, token)
    if (await this.#store.replace(this.#group, bytes, this.#found, this.#call)) return 'committed'
    return this.#fateOf(await this.#store.read(this.#group, this.#call), token)
  }

  #fateOf(now: FoundGroup | undefined, token: string): Fate {
    return fateOf(now?.record, token, this.#found?.record)
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
