import type { GroupCall, StoreError } from '@unikv/core'
import {
  Deadlines,
  endedWith,
  endOf,
  type GiveBack,
  type LastUses,
  leftMs,
  type Waiting,
} from '@unikv/core/adapter'
import { mysqlError, spoilsConnection } from '../errors.ts'
import { discard } from './discard.ts'
import type { MysqlConnection, Parameter } from './mysql-client.ts'

/** A caller that a pool may lend a connection to. */
export interface Borrower {
  /** There is a connection. */
  start(connection: MysqlConnection): void
  /** There will be none. */
  fail(error: unknown): void
}

/** The pool as lent connections need it. */
export interface Lender {
  readonly address: string
  readonly uses: LastUses<MysqlConnection>
}

/** A connection of the pool for the length of a transaction. */
export class LentConnection {
  readonly #connection: MysqlConnection
  readonly #of: Lender
  readonly #giveBack: GiveBack
  #isBack = false
  readonly #underWay = new Set<(error: Failure) => void>()

  constructor(connection: MysqlConnection, of: Lender, giveBack: GiveBack) {
    this.#connection = connection
    this.#of = of
    this.#giveBack = giveBack
  }

  /** Whether a statement is under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0
  }

  /** Its number in the server, if the driver tells. */
  get thread(): number | undefined {
    return this.#connection.threadId ?? undefined
  }

  /** A statement without values. Errors are those of the driver. */
  run(sql: string): Promise<void> {
    const connection = this.#connection
    if (connection.query === undefined) return this.execute(sql, [])
    return this.#asked((done) => connection.query?.(sql, done))
  }

  /** The rows, or the result, of a prepared statement. Errors are those of the driver. */
  execute<R>(sql: string, values: readonly Parameter[]): Promise<R> {
    return this.#asked((done) =>
      this.#connection.prepare(sql, (error, statement) => {
        if (error) done(error)
        else statement.execute(values, done)
      }),
    )
  }

  /** Give it back; a spoilt one is cut, and its transaction ends with it. */
  release(spoilt: boolean): void {
    if (this.#isBack) return
    this.#isBack = true
    if (!spoilt) {
      this.#of.uses.note(this.#connection)
      this.#connection.release()
      return this.#giveBack()
    }
    discard(this.#connection)
    this.#giveBack()
    // The driver never answers on a connection that was cut.
    for (const reject of this.#underWay) reject(new Failure(new Error('The connection was cut.'), true))
    this.#underWay.clear()
  }

  #asked<R>(ask: (done: (error: Error | null, result?: unknown) => void) => unknown): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.#isBack) return reject(new Failure(new Error('The transaction is over.'), false))
      this.#underWay.add(reject)
      ask((error, result) => {
        this.#underWay.delete(reject)
        if (error) reject(new Failure(error, true))
        else resolve(result as R)
      })
    })
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

/** One timer for all who wait. */
const deadlines = new Deadlines<Waiting>()

/** Told what becomes of the wait for a connection; and the permit that goes back with it. */
interface Borrowing {
  readonly resolve: (lent: LentConnection) => void
  readonly reject: (error: StoreError) => void
  readonly giveBack: GiveBack
}

/** A transaction that waits for a connection, no longer than its call does. */
export class Lease implements Borrower, Waiting {
  // Kept by `Deadlines`.
  expiresAt = 0
  place = -1
  readonly #call: GroupCall
  readonly #of: Lender
  readonly #resolve: (lent: LentConnection) => void
  readonly #reject: (error: StoreError) => void
  readonly #giveBack: GiveBack
  #isOver = false

  constructor(call: GroupCall, of: Lender, { resolve, reject, giveBack }: Borrowing) {
    this.#call = call
    this.#of = of
    this.#resolve = resolve
    this.#reject = reject
    this.#giveBack = giveBack
    const restMs = leftMs(call)
    if (restMs < Number.POSITIVE_INFINITY) deadlines.add(Math.max(0, restMs), this)
  }

  start(connection: MysqlConnection): void {
    if (this.#isOver) return connection.release()
    const refusal = endOf(this.#call, false)
    if (refusal === undefined)
      return this.#end(() => this.#resolve(new LentConnection(connection, this.#of, this.#giveBack)))
    connection.release()
    this.#end(() => this.#reject(refusal))
  }

  fail(error: unknown): void {
    const failed = { where: `MySQL at ${this.#of.address}`, isWrite: false, sent: false }
    this.#end(() => this.#reject(mysqlError(error, failed)))
  }

  /** The deadline has come. */
  expire(): void {
    this.#end(() => this.#reject(endedWith(this.#call, false, false)))
  }

  #end(settle: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    deadlines.remove(this)
    settle()
  }
}
