import type { GroupCall, StoreError } from '@unikv/core'
import { endedWith, endOf, type GiveBack, leftMs, type Waiting } from '@unikv/core/adapter'
import { postgresError, spoilsConnection } from '../errors.ts'
import { type Answer, isInTransaction, lentInTransaction, type Surroundings } from './execution.ts'
import { Pipeline, type Step } from './pipeline.ts'
import type { PostgresConnection } from './postgres-client.ts'

/** A caller that a pool may lend a connection to. */
export interface Borrower {
  /** There is a connection. */
  start(connection: PostgresConnection): void
  /** There will be none. */
  fail(error: unknown): void
}

/** The process of the server that serves a connection, and when the server started. */
export type ServerProcess = readonly [process: string, startedAt: string]

/** Those that are known. */
const servers = new WeakMap<PostgresConnection, ServerProcess>()

/** A connection of the pool for the length of a transaction. */
export class LentConnection {
  readonly #connection: PostgresConnection
  readonly #around: Surroundings
  readonly #giveBack: GiveBack
  #isBack = false

  constructor(connection: PostgresConnection, around: Surroundings, giveBack: GiveBack) {
    this.#connection = connection
    this.#around = around
    this.#giveBack = giveBack
  }

  /** Whether it is with the transaction still. */
  get isHeld(): boolean {
    return !this.#isBack
  }

  /** The process that serves it, if it is known. */
  get server(): ServerProcess | undefined {
    return servers.get(this.#connection)
  }

  knowServer(server: ServerProcess): void {
    servers.set(this.#connection, server)
  }

  /**
   * The rows of statements that are executed as one. Errors are those of the driver, with whether anything was sent.
   */
  ask(steps: readonly Step[]): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      if (this.#isBack) return reject(new Failure(new Error('The transaction is over.'), false))
      const { place } = this.#around
      const pipeline = new Pipeline(steps, place, (error, rows) => {
        if (error === undefined) resolve(rows)
        else reject(new Failure(error, pipeline.isSent))
      })
      this.#connection.query(pipeline)
    })
  }

  /** Give it back; a spoilt one is cut, and with it everything that it holds in the server ends. */
  release(spoilt: boolean): void {
    if (this.#isBack) return
    this.#isBack = true
    this.#around.uses.note(this.#connection)
    this.#connection.release(spoilt)
    this.#giveBack()
  }
}

/** An error of the driver, and whether the statement was sent. */
export class Failure extends Error {
  readonly reason: unknown
  readonly isSent: boolean

  constructor(reason: unknown, isSent: boolean) {
    super('A statement of a transaction failed.')
    this.reason = reason
    this.isSent = isSent
  }

  /** Whether the connection must not be used again. */
  get spoils(): boolean {
    return spoilsConnection(this.reason)
  }
}

/** Told what becomes of the wait for a connection; and the permit that goes back with it. */
interface Borrowing {
  readonly resolve: (lent: LentConnection) => void
  readonly reject: (error: StoreError) => void
  readonly giveBack: GiveBack
}

/** A transaction that waits for a connection, no longer than its call does. */
export class Lease implements Borrower, Waiting {
  expiresAt = 0
  place = -1
  readonly #call: GroupCall
  readonly #around: Surroundings
  readonly #resolve: (lent: LentConnection) => void
  readonly #reject: (error: StoreError) => void
  readonly #giveBack: GiveBack
  #isOver = false

  constructor(call: GroupCall, around: Surroundings, { resolve, reject, giveBack }: Borrowing) {
    this.#call = call
    this.#around = around
    this.#resolve = resolve
    this.#reject = reject
    this.#giveBack = giveBack
    const restMs = leftMs(call)
    if (restMs < Number.POSITIVE_INFINITY) around.deadlines.add(Math.max(0, restMs), this)
  }

  start(connection: PostgresConnection): void {
    if (this.#isOver) return connection.release()
    const refusal = endOf(this.#call, false)
    const isSpoilt = refusal === undefined && isInTransaction(connection)
    if (refusal === undefined && !isSpoilt)
      return this.#end(() => this.#resolve(new LentConnection(connection, this.#around, this.#giveBack)))
    connection.release(isSpoilt)
    this.#end(() => this.#reject(refusal ?? lentInTransaction()))
  }

  fail(error: unknown): void {
    const failed = { where: this.#around.place, isWrite: false, sent: false }
    this.#end(() => this.#reject(postgresError(error, failed)))
  }

  /** The deadline has come. */
  expire(): void {
    this.#end(() => this.#reject(endedWith(this.#call, false, false)))
  }

  #end(settle: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#around.deadlines.remove(this)
    settle()
  }
}
