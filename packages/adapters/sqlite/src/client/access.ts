import type { CallOptions, Read } from '@unikv/core'
import { closed, endOf } from '@unikv/core/adapter'
import type { SqliteDatabase } from '../file/sqlite-client.ts'
import { type AnswerOf, type Job, kindOf } from '../jobs.ts'
import type { SqliteSettings } from '../options.ts'
import { Engine } from './engine.ts'
import { Thread } from './thread.ts'

/** The file, open in the caller's thread, which waits for every answer. */
export class OwnThread {
  readonly #settings: SqliteSettings
  readonly #engine: Engine
  #isClosed = false

  constructor(settings: SqliteSettings) {
    this.#settings = settings
    this.#engine = new Engine(settings.file)
  }

  /** The connection in the caller's thread. @throws {StoreError} */
  get native(): SqliteDatabase {
    if (this.#isClosed) throw closed()
    return this.#engine.database
  }

  /** The most frequent call. @throws {StoreError} the error of the call as a whole */
  read(reads: readonly Read[], call: CallOptions): AnswerOf['read'] {
    this.#check(call)
    return this.#engine.read(reads, this.#settings.clock())
  }

  /** @throws {StoreError} the error of the call as a whole */
  ask<J extends Job>(job: J, call: CallOptions): AnswerOf[J['verb']] {
    this.#check(call)
    if (kindOf(job) !== 'read') call.sent = true
    const [outcome] = this.#engine.run([job], this.#settings.clock())
    if (outcome === undefined || 'error' in outcome) throw outcome?.error ?? closed()
    return outcome.answer as AnswerOf[J['verb']]
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#engine.close()
  }

  #check(call: CallOptions): void {
    const refusal = this.#isClosed ? closed() : endOf(call, false)
    if (refusal !== undefined) throw refusal
  }
}

/** The file, open in worker threads: the first writes, the others read. */
export class WorkerThreads {
  readonly #writer: Thread
  readonly #readers: readonly Thread[]
  readonly #settings: SqliteSettings
  /** For `native` alone. */
  #engine: Engine | undefined
  #isClosed = false

  constructor(settings: SqliteSettings) {
    this.#settings = settings
    const { file, threads, clock } = settings
    const all = Array.from({ length: threads }, () => new Thread(file, clock))
    this.#writer = all[0] as Thread
    this.#readers = threads === 1 ? all : all.slice(1)
  }

  /** A connection in the caller's thread, opened when it is first asked for. @throws {StoreError} */
  get native(): SqliteDatabase {
    if (this.#isClosed) throw closed()
    this.#engine ??= new Engine(this.#settings.file)
    return this.#engine.database
  }

  /** @throws {StoreError} the error of the call as a whole */
  ask<J extends Job>(job: J, call: CallOptions): Promise<AnswerOf[J['verb']]> {
    return (kindOf(job) === 'read' ? this.#reader() : this.#writer).ask(job, call)
  }

  /** @throws {StoreError} the error of the call as a whole */
  read(reads: readonly Read[], call: CallOptions): Promise<AnswerOf['read']> {
    return this.ask({ verb: 'read', reads }, call)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#engine?.close()
    this.#engine = undefined
    await Promise.all([this.#writer, ...this.#readers].map((thread) => thread.close()))
  }

  /** The reader with the least to do. */
  #reader(): Thread {
    return this.#readers.reduce((best, thread) => (thread.load < best.load ? thread : best))
  }
}
