import type {
  Awaitable,
  Bytes,
  GroupCall,
  GroupChange,
  GroupEntry,
  GroupRange,
  Groups,
  GroupTransaction,
} from '@unikv/core'
import { compareKeys, isStoreError, lostConflict, Turns } from '@unikv/core/adapter'
import { Seen } from './seen.ts'

/** The one name of all turns: they go one after the other. */
const all = ['']

/** The records of a group as a transaction sees them: what was read, once, under what it has changed. */
export class Workspace {
  readonly #begin: () => Awaitable<GroupTransaction>
  readonly #holds: boolean
  readonly #seen: Seen = new Seen()
  readonly #changes: Map<string, Bytes | undefined> = new Map()
  /** Where something is held: no read meets a transaction that is being exchanged for another one. */
  readonly #turns: Turns = new Turns()
  #inner: GroupTransaction
  #isOpen = true
  #hasLost = false
  #failure: { readonly error: unknown } | undefined

  private constructor(begin: () => Awaitable<GroupTransaction>, inner: GroupTransaction, holds: boolean) {
    this.#begin = begin
    this.#inner = inner
    this.#holds = holds
  }

  /** Begin a transaction on this group. */
  static async open(groups: Groups, group: string, call: GroupCall): Promise<Workspace> {
    const begin = (): Awaitable<GroupTransaction> => groups.begin(group, call)
    return new Workspace(begin, await begin(), groups.holds === true)
  }

  /** The records of a transaction that holds nothing. */
  static over(transaction: GroupTransaction): Workspace {
    return new Workspace(() => transaction, transaction, false)
  }

  /** Whether a read has met a conflict: then the transaction can only be run again, even if that error was caught. */
  get hasLost(): boolean {
    return this.#hasLost
  }

  /** Whether it would have to let go of something to do work elsewhere. */
  get holds(): boolean {
    return this.#holds && !this.#seen.isEmpty
  }

  /** Each key is changed at most once, by its last change. */
  get changes(): readonly GroupChange[] {
    return Array.from(this.#changes, ([key, value]) => ({ key, value }))
  }

  async get(key: string): Promise<Bytes | undefined> {
    return (await this.getMany([key]))[0]
  }

  async getMany(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    const unread = [...new Set(keys)].filter((key) => !this.#changes.has(key) && !this.#seen.has(key))
    if (unread.length > 0)
      await this.#inTurn(async () => this.#seen.values(unread, await this.#inner.get(unread)))
    return keys.map((key) => (this.#changes.has(key) ? this.#changes.get(key) : this.#seen.get(key)))
  }

  /** Records of the range after all changes, in the order of their keys. */
  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    const changed = this.changes.filter(({ key }) => isIn(range, key))
    const limit = range.limit + changed.length // so many of those found may have been removed
    const wide = { ...range, limit }
    const found = await this.#inTurn(async () => this.#seen.range(wide, await this.#inner.list(wide)))
    if (changed.length === 0) return found
    const merged = new Map<string, Bytes | undefined>(found.map(({ key, value }) => [key, value]))
    for (const { key, value } of changed) merged.set(key, value)
    return Array.from(merged, ([key, value]) => ({ key, value }))
      .filter((entry): entry is GroupEntry => entry.value !== undefined)
      .sort((a, b) => compareKeys(a.key, b.key))
      .slice(0, range.limit)
  }

  put(key: string, value: Bytes): void {
    this.#changes.set(key, value)
  }

  remove(key: string): void {
    this.#changes.set(key, undefined)
  }

  /**
   * Do work that needs the store while nothing is held: the transaction is given up, and goes on as another one if everything that was read is still so.
   *
   * @throws {StoreError} `CONDITION_FAILED` if it is not
   */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      if (!this.holds) return work()
      try {
        await this.#end()
        const result = await work()
        this.#inner = await this.#begin()
        this.#isOpen = true
        if (!(await this.#seen.isSame(this.#inner))) throw lostConflict()
        return result
      } catch (error) {
        this.#failure = { error }
        throw error
      }
    })
  }

  /**
   * Resolves to whether these changes took effect.
   *
   * @throws {StoreError} that of `aside`, if it has failed
   */
  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    if (this.#failure !== undefined) await this.rollback()
    return this.#inTurn(async () => {
      this.#isOpen = false
      return this.#inner.commit(changes)
    })
  }

  /** Give up, once everything that is under way has ended. It never fails. */
  async rollback(): Promise<void> {
    await (this.#holds ? this.#turns.take(all, () => this.#end()) : this.#end())
  }

  async #end(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#inner.rollback()
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const guarded = async (): Promise<T> => {
      if (this.#failure !== undefined) throw this.#failure.error
      return work()
    }
    try {
      return await (this.#holds ? this.#turns.take(all, guarded) : guarded())
    } catch (error) {
      this.#hasLost ||= isStoreError(error) && error.code === 'CONDITION_FAILED'
      throw error
    }
  }
}

function isIn({ prefix, after }: GroupRange, key: string): boolean {
  return key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0)
}
