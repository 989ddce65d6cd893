import { type CallOptions, type GroupCall, StoreError } from '@unikv/core'
import {
  closed,
  Deadlines,
  endedWith,
  endOf,
  LastUses,
  leftMs,
  Permits,
  type Waiting,
} from '@unikv/core/adapter'
import { performance, queueMicrotask } from '@unikv/core/platform'
import { mysqlError, spoilsConnection } from '../errors.ts'
import { discard } from './discard.ts'
import { type Borrower, Lease, type LentConnection } from './lent-connection.ts'
import type { MysqlConnection, MysqlPool, MysqlStatement, Parameter } from './mysql-client.ts'
import { addressOf, limitOf } from './mysql-pool.ts'
import { isInTransaction, keepStatus, type RunningStatement } from './transaction-status.ts'

/**
 * Executes prepared statements on the connections of a pool, each within the deadline of its call, which covers
 * waiting for a connection. It prepares and executes in two steps, which is what tells a statement that never left
 * from one whose answer was lost.
 */
export class Connections {
  readonly pool: MysqlPool
  readonly address: string
  /** When its connections were last used. */
  readonly uses: LastUses<MysqlConnection> = new LastUses()
  readonly #queueLimit: number
  readonly #permits: Permits
  #isHanding = false
  #waiting = 0

  constructor(pool: MysqlPool, queueLimit: number) {
    this.pool = pool
    this.#permits = Permits.of(pool, limitOf(pool))
    this.address = addressOf(pool)
    this.#queueLimit = queueLimit
  }

  /**
   * The rows, or the result, of a statement.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait; `OUTCOME_UNKNOWN` if a write was sent and nothing came back
   */
  execute<R>(sql: string, values: readonly Parameter[], call: CallOptions, isWrite: boolean): Promise<R> {
    return this.#execute({ sql, values, call, isWrite, isGuarded: true })
  }

  /** The same for looking at the server: whatever its connection is in, what is seen holds, and may be why. */
  look<R>(sql: string, values: readonly Parameter[], call: CallOptions): Promise<R> {
    return this.#execute({ sql, values, call, isWrite: false, isGuarded: false })
  }

  /**
   * A connection for a transaction, which gives it back. There are fewer of these than connections.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait
   */
  async lend(call: GroupCall): Promise<LentConnection> {
    if (this.#waiting + this.#permits.waiting >= this.#queueLimit) throw overloaded(this.#queueLimit)
    const giveBack = await this.#permits.take(call, this)
    try {
      return await new Promise((resolve, reject) => {
        this.#lend(new Lease(call, this, { resolve, reject, giveBack }))
      })
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** End transactions that wait for others. */
  close(): void {
    this.#permits.refuse(this, closed())
  }

  /** End a connection in the server, which may be waiting for a lock there. Nothing depends on it. */
  kill(thread: number): void {
    const call = { deadlineAt: performance.now() + killMs }
    this.execute(`KILL ${Math.trunc(thread)}`, [], call, false).catch(() => undefined)
  }

  #execute<R>(request: Request): Promise<R> {
    if (this.#waiting >= this.#queueLimit) return Promise.reject(overloaded(this.#queueLimit))
    return new Promise<R>((resolve, reject) => {
      this.#lend(new Execution<R>(request, this, resolve, reject))
    })
  }

  #lend(borrower: Borrower): void {
    this.#waiting++
    this.pool.getConnection((error, connection) => {
      this.#waiting--
      if (error) borrower.fail(error)
      else if (this.uses.isIdle(connection)) void this.#ask(connection, borrower)
      else this.#hand(connection, borrower)
    })
  }

  /**
   * A borrower whose call is over gives the connection back at once, and a pool may hand it to the next one in that moment. Thousands of these
   * would be as many calls on the stack, so the next one has its turn after this one.
   */
  #hand(connection: MysqlConnection, borrower: Borrower): void {
    if (this.#isHanding) return queueMicrotask(() => this.#hand(connection, borrower))
    this.#isHanding = true
    try {
      borrower.start(connection)
    } finally {
      this.#isHanding = false
    }
  }

  /** A connection that may have died unseen is replaced unless it answers. */
  async #ask(connection: MysqlConnection, borrower: Borrower): Promise<void> {
    const ask = (answered: (lives?: boolean) => void): unknown =>
      connection.ping === undefined ? answered() : connection.ping((error) => answered(!error))
    if (await this.uses.lives(connection, ask)) return this.#hand(connection, borrower)
    discard(connection)
    this.#lend(borrower)
  }
}

/** A statement, on behalf of a call. */
interface Request {
  readonly sql: string
  readonly values: readonly Parameter[]
  readonly call: CallOptions
  readonly isWrite: boolean
  /** It must not be answered from inside someone's transaction. */
  readonly isGuarded: boolean
}

/** Longest time that ending another connection may take. */
const killMs = 5_000

/** One timer for all statements. */
const deadlines = new Deadlines<Waiting>()

/** One statement on its way: ends once, with its answer or at its deadline. */
class Execution<R> implements Borrower, Waiting {
  readonly #request: Request
  readonly #of: Pick<Connections, 'address' | 'uses'>
  readonly #resolve: (result: R) => void
  readonly #reject: (error: StoreError) => void
  #connection: MysqlConnection | undefined
  #statement: RunningStatement | undefined
  #isSent = false
  #over = false
  // What `Deadlines` keeps of it.
  expiresAt = 0
  place = -1

  constructor(
    request: Request,
    of: Pick<Connections, 'address' | 'uses'>,
    resolve: (result: R) => void,
    reject: (error: StoreError) => void,
  ) {
    this.#request = request
    this.#of = of
    this.#resolve = resolve
    this.#reject = reject
    if (request.call.deadlineAt !== Number.POSITIVE_INFINITY) this.#wait()
  }

  start(connection: MysqlConnection): void {
    if (this.#over) return connection.release()
    this.#connection = connection
    const { call, sql } = this.#request
    const refusal = endOf(call, false)
    if (refusal !== undefined) return this.#end(() => this.#reject(refusal))
    connection.prepare(sql, (error, statement) => {
      if (error) this.fail(error)
      else this.#send(statement)
    })
  }

  fail(error: unknown): void {
    const spoilt = spoilsConnection(error)
    const where = `MySQL at ${this.#of.address}`
    const failed = { where, isWrite: this.#request.isWrite, sent: this.#isSent }
    this.#end(() => this.#reject(mysqlError(error, failed)), spoilt)
  }

  #send(statement: MysqlStatement): void {
    if (this.#over) return
    const { isWrite, isGuarded, call, values } = this.#request
    const refusal = endOf(call, false)
    if (refusal !== undefined) return this.#end(() => this.#reject(refusal))
    this.#isSent = true
    if (isWrite) call.sent = true
    const running = statement.execute(values, (error, result) => {
      if (error) this.fail(error)
      else if (isGuarded && isInTransaction(this.#status(result)))
        this.#end(() => this.#reject(lentInTransaction()), true)
      else this.#end(() => this.#resolve(result as R))
    })
    this.#statement = running as RunningStatement | undefined
    if (!isWrite) keepStatus(this.#statement)
  }

  /** What the server said of the connection with this answer. */
  #status(result: unknown): number | undefined {
    const connection = this.#connection as MysqlConnection
    if (connection.serverStatus !== undefined) return connection.serverStatus()
    return this.#request.isWrite
      ? (result as { readonly serverStatus?: number }).serverStatus
      : this.#statement?.status
  }

  /** The deadline has come. The connection goes with the call, so that a late reply reaches nobody else. */
  expire(): void {
    const { call, isWrite } = this.#request
    // After a blocked event loop the timer may be a moment early.
    if (leftMs(call) > 0) this.#wait()
    else this.#end(() => this.#reject(endedWith(call, isWrite, this.#isSent)), true)
  }

  #wait(): void {
    deadlines.add(leftMs(this.#request.call), this)
  }

  #giveBack(): void {
    if (this.#connection === undefined) return
    this.#of.uses.note(this.#connection)
    this.#connection.release()
  }

  #end(settle: () => void, spoilt = false): void {
    if (this.#over) return
    this.#over = true
    deadlines.remove(this)
    if (spoilt) discard(this.#connection)
    else this.#giveBack()
    settle()
  }
}

/** The server undoes what was open on a connection that is cut, before anyone else sees it. */
function lentInTransaction(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'A connection was returned to the pool inside a transaction; it is closed, and nothing was changed.',
  )
}

function overloaded(queueLimit: number): StoreError {
  return new StoreError(
    'OVERLOADED',
    `${queueLimit} statements are already waiting for a connection. Send fewer, or raise maxConnections.`,
  )
}
