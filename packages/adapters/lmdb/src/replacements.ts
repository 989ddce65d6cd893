import type { Bytes, CallOptions, Mutation, StoreError, WriteResult } from '@unikv/core'
import { checkTime, recordOf } from './batch.ts'
import type { Environment } from './environment.ts'
import type { LmdbDatabase } from './lmdb-client.ts'
import { causeOf, lmdbError } from './lmdb-errors.ts'

/**
 * Single writes that replace whatever is there. Nothing of them is to be decided inside a transaction, so they go there
 * without a function, for which LMDB's thread would have to wait for this one.
 */
export class Replacements {
  readonly #environment: Environment
  readonly #database: LmdbDatabase
  /** Those of the same moment, which begin together, and their end. */
  #waiting: Replacement[] = []
  #written: Promise<void> | undefined

  constructor(environment: Environment, database: LmdbDatabase) {
    this.#environment = environment
    this.#database = database
  }

  /** Write in one of the next transactions; resolves when that is flushed. */
  add(mutation: Mutation<Bytes>, options: CallOptions): Promise<readonly WriteResult[]> {
    const one = new Replacement(mutation, options)
    this.#waiting.push(one)
    this.#written ??= this.#write()
    return this.#written.then(() => one.results())
  }

  async #write(): Promise<void> {
    try {
      const pass = this.#environment.begin()
      if (pass !== undefined) this.#environment.track(pass)
      // Others of this moment join; and a call that has ended by then changes nothing.
      await pass
    } catch (error) {
      // Not before the first call has its promise.
      await Promise.resolve()
      this.#take()
      throw error
    }
    try {
      await this.#put(this.#take())
    } finally {
      this.#environment.end()
    }
  }

  #take(): readonly Replacement[] {
    const waiting = this.#waiting
    this.#waiting = []
    this.#written = undefined
    return waiting
  }

  /** Put them where LMDB's thread takes them. lmdb-js has one promise for all that come to one transaction. */
  async #put(together: readonly Replacement[]): Promise<void> {
    this.#environment.renewNextTurn()
    const now = performance.now()
    const transactions: Transaction[] = []
    for (const one of together) {
      const flushed = this.#putOne(one, now)
      if (flushed === undefined) continue
      const last = transactions.at(-1)
      if (last?.flushed === flushed) last.ones.push(one)
      else transactions.push({ flushed, ones: [one] })
    }
    for (const { flushed, ones } of transactions) {
      try {
        await flushed
      } catch (error) {
        const failure = lmdbError(await causeOf(error), this.#environment.folder)
        for (const one of ones) one.failure = failure
      }
    }
  }

  #putOne(one: Replacement, now: number): Promise<boolean> | undefined {
    const { key, record, options } = one
    try {
      checkTime(options, now)
      options.sent = true
      return record === undefined ? this.#database.remove(key) : this.#database.put(key, record)
    } catch (error) {
      one.failure = lmdbError(error, this.#environment.folder)
      return undefined
    }
  }
}

/** What goes to the disk at once. */
interface Transaction {
  readonly flushed: Promise<boolean>
  readonly ones: Replacement[]
}

/** One such write. The record of a set is made when the call comes: its value may change afterwards. */
class Replacement {
  readonly key: string
  readonly record: Buffer | undefined
  readonly options: CallOptions
  failure: StoreError | undefined
  readonly #version: string

  constructor(mutation: Mutation<Bytes>, options: CallOptions) {
    this.key = mutation.key
    this.record = recordOf(mutation)
    this.options = options
    this.#version = mutation.version
  }

  /** @throws {StoreError} if it failed */
  results(): readonly WriteResult[] {
    if (this.failure !== undefined) throw this.failure
    return [{ version: this.#version }]
  }
}
