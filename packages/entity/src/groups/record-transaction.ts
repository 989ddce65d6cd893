import type { Bytes, GroupCall, GroupChange, GroupTransaction } from '@unikv/core'
import { type Fate, isOutcomeUnknown, settled } from '@unikv/core/adapter'
import { fateOf } from './group-record.ts'
import { ReadGroup } from './read-group.ts'
import type { FoundGroup, RecordStore } from './record-store.ts'

/** A transaction on a group in one record: it reads the record as it was found, and its commit replaces just that. */
export class RecordTransaction extends ReadGroup implements GroupTransaction {
  readonly #store: RecordStore
  readonly #found: FoundGroup | undefined
  readonly #call: GroupCall

  constructor(store: RecordStore, group: string, found: FoundGroup | undefined, call: GroupCall) {
    super(store, group, found?.record)
    this.#store = store
    this.#found = found
    this.#call = call
  }

  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    if (changes.length === 0) return true
    const { bytes, token } = this.next(changes)
    try {
      return await this.#store.replace(this.group, bytes, this.#found, this.#call)
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      return settled(this.#call, error, () => this.#settle(bytes, token))
    }
  }

  /**
   * The record tells whether the commit came. If it is as before, the same commit is made again, because at most one of the two can replace that
   * version, whichever comes first.
   */
  async #settle(bytes: Bytes, token: string): Promise<Fate> {
    const now = await this.#store.read(this.group, this.#call)
    if (this.#found === undefined || now?.version !== this.#found.version) return this.#fateOf(now, token)
    if (await this.#store.replace(this.group, bytes, this.#found, this.#call)) return 'committed'
    return this.#fateOf(await this.#store.read(this.group, this.#call), token)
  }

  #fateOf(now: FoundGroup | undefined, token: string): Fate {
    return fateOf(now?.record, token, this.#found?.record)
  }
}
