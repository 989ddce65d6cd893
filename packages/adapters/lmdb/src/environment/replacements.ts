import type { Bytes, CallOptions, Mutation, WriteResult } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import { checkTime, recordOf } from '../batch.ts'
import { hasOwnTurn, inOwnTurn, knownBytes } from '../client/foreign-globals.ts'
import type { LmdbDatabase } from '../client/lmdb-client.ts'
import { causeOf, lmdbError } from '../errors.ts'
import type { Environment } from './environment.ts'

/**
 * Single sets that replace any record. Nothing of them is decided inside a transaction, so they go there
 * without a function, for which LMDB's thread would have to wait for this one; and at once, as it begins with the first of
 * them while this thread still asks for others.
 */
export class Replacements {
  readonly #environment: Environment
  readonly #database: LmdbDatabase
  #last: Transaction | undefined

  constructor(environment: Environment, database: LmdbDatabase) {
    this.#environment = environment
    this.#database = database
  }

  /** Write in one of the next transactions; resolves when that is flushed. */
  add(mutation: Mutation<Bytes>, options: CallOptions): Promise<readonly WriteResult[]> {
    // The value may change while others open the environment.
    const record = recordOf(mutation) as Buffer
    const now = performance.now()
    const pass = this.#environment.begin(now)
    if (pass === undefined) return this.#put(mutation, record, options, now)
    const written = pass.then(() => this.#put(mutation, record, options, performance.now()))
    this.#environment.track(written)
    return written
  }

  /** Put it where LMDB's thread takes it. */
  #put(
    { key, version }: Mutation<Bytes>,
    record: Buffer,
    options: CallOptions,
    now: number,
  ): Promise<readonly WriteResult[]> {
    let flushed: Promise<boolean>
    try {
      checkTime(options, now)
      this.#environment.renewNextTurn()
      options.sent = true
      flushed = hasOwnTurn() ? this.#give(key, record) : inOwnTurn(() => this.#give(key, record))
    } catch (error) {
      this.#environment.end()
      return Promise.reject(lmdbError(error, this.#environment.folder))
    }
    return this.#transactionOf(flushed).ended.then(() => [{ version }])
  }

  #give(key: string, record: Buffer): Promise<boolean> {
    return this.#database.put(key, knownBytes(record))
  }

  /** lmdb-js has one promise for all that come to one transaction. */
  #transactionOf(flushed: Promise<boolean>): Transaction {
    if (this.#last?.flushed === flushed) this.#last.writes++
    else this.#last = new Transaction(flushed, this.#environment)
    return this.#last
  }
}

/** Writes that go to the disk at once. */
class Transaction {
  readonly flushed: Promise<boolean>
  writes = 1
  /** Resolves when it is on the disk. */
  readonly ended: Promise<void>

  constructor(flushed: Promise<boolean>, environment: Environment) {
    this.flushed = flushed
    this.ended = this.#end(environment)
  }

  async #end(environment: Environment): Promise<void> {
    try {
      await this.flushed
    } catch (error) {
      throw lmdbError(await causeOf(error), environment.folder)
    } finally {
      environment.end(this.writes)
    }
  }
}
