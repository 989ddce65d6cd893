import {
  type Awaitable,
  type Bytes,
  type GroupChange,
  type GroupEntry,
  type GroupRange,
  type GroupTransaction,
  isStoreError,
} from '@unikv/core'
import { compareKeys } from '@unikv/core/adapter'

/** The records of a group as a transaction sees them: what was read, once, under what it has changed. */
export class Workspace {
  readonly #inner: GroupTransaction
  readonly #read: Map<string, Bytes | undefined> = new Map()
  readonly #changes: Map<string, Bytes | undefined> = new Map()

  #hasLost = false

  constructor(inner: GroupTransaction) {
    this.#inner = inner
  }

  /** Whether a read has met a conflict: then the transaction can only be run again, even if that error was caught. */
  get hasLost(): boolean {
    return this.#hasLost
  }

  /** Each key is changed at most once, by its last change. */
  get changes(): readonly GroupChange[] {
    return Array.from(this.#changes, ([key, value]) => ({ key, value }))
  }

  async get(key: string): Promise<Bytes | undefined> {
    return (await this.getMany([key]))[0]
  }

  async getMany(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    const unread = [...new Set(keys)].filter((key) => !this.#changes.has(key) && !this.#read.has(key))
    if (unread.length > 0) {
      const values = await this.#noting(() => this.#inner.get(unread))
      for (const [at, key] of unread.entries()) this.#read.set(key, values[at])
    }
    return keys.map((key) => (this.#changes.has(key) ? this.#changes.get(key) : this.#read.get(key)))
  }

  /** Records of the range after all changes, in the order of their keys. */
  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    const changed = this.changes.filter(({ key }) => isIn(range, key))
    const limit = range.limit + changed.length // so many of those found may have been removed
    const found = await this.#noting(() => this.#inner.list({ ...range, limit }))
    if (changed.length === 0) return found
    const merged = new Map<string, Bytes | undefined>(found.map(({ key, value }) => [key, value]))
    for (const { key, value } of changed) merged.set(key, value)
    return Array.from(merged, ([key, value]) => ({ key, value }))
      .filter((entry): entry is GroupEntry => entry.value !== undefined)
      .sort((a, b) => compareKeys(a.key, b.key))
      .slice(0, range.limit)
  }

  async #noting<T>(read: () => Awaitable<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      this.#hasLost ||= isStoreError(error) && error.code === 'CONDITION_FAILED'
      throw error
    }
  }

  put(key: string, value: Bytes): void {
    this.#changes.set(key, value)
  }

  remove(key: string): void {
    this.#changes.set(key, undefined)
  }
}

function isIn({ prefix, after }: GroupRange, key: string): boolean {
  return key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0)
}
