import { type CallOptions, type GroupCall, StoreError } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import { Borrower, Lender, type SqlPool } from '@unikv/core/sql-client'
import { isConflict, mysqlError, spoilsConnection } from '../errors.ts'
import { LentConnection } from './lent-connection.ts'
import type { MysqlConnection, MysqlPool, MysqlStatement, Parameter } from './mysql-client.ts'
import { addressOf, limitOf } from './mysql-pool.ts'
import { isInTransaction, keepStatus, type RunningStatement } from './transaction-status.ts'

/**
 * Executes prepared statements on the connections of a pool, each within the deadline of its call, which covers
 * waiting for a connection. It prepares and executes in two steps, which is what tells a statement that never left
 * from one whose answer was lost.
 */
export class Connections extends Lender<MysqlConnection> {
  constructor(pool: MysqlPool, queueLimit: number) {
    super(sqlPool(pool), queueLimit)
  }

  /**
   * The rows, or the result, of a statement.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait; `OUTCOME_UNKNOWN` if a write was sent and nothing came back
   */
  execute<R>(sql: string, values: readonly Parameter[], call: CallOptions, isWrite: boolean): Promise<R> {
    return this.#execute({ sql, values, call, isWrite, isGuarded: true })
  }

  /** The same for looking at the server, on a connection in any state: what is seen holds, and may be the reason. */
  look<R>(sql: string, values: readonly Parameter[], call: CallOptions): Promise<R> {
    return this.#execute({ sql, values, call, isWrite: false, isGuarded: false })
  }

  /** A connection for a transaction, as `hold` gives it. */
  lend(call: GroupCall): Promise<LentConnection> {
    return this.hold(call, (connection, giveBack) => new LentConnection(connection, this, giveBack))
  }

  /** End a connection in the server, which may be waiting for a lock there. Nothing depends on it. */
  kill(thread: number): void {
    const call = { deadlineAt: performance.now() + killMs }
    this.execute(`KILL ${Math.trunc(thread)}`, [], call, false).catch(() => undefined)
  }

  #execute<R>(request: Request): Promise<R> {
    return this.borrow<R>((resolve, reject) => new Statement(this, request, resolve, reject))
  }
}

function sqlPool(pool: MysqlPool): SqlPool<MysqlConnection> {
  const where = `MySQL at ${addressOf(pool)}`
  return {
    pool,
    limit: limitOf(pool),
    take: (borrow) =>
      pool.getConnection((error, connection) => borrow(error, error ? undefined : connection)),
    ask: (connection, answered) =>
      connection.ping === undefined ? answered() : connection.ping((error) => answered(!error)),
    giveBack: (connection) => connection.release(),
    cut,
    errorOf: (error, isWrite, sent) => mysqlError(error, { where, isWrite, sent }),
    spoils: spoilsConnection,
    isConflict,
  }
}

/** Cut a connection, without waiting for the server to agree. */
function cut(connection: MysqlConnection & { readonly stream?: { destroy?(): unknown } }): void {
  connection.on('error', () => {}) // what it says about its end is of no interest, and must not be uncaught
  connection.destroy()
  connection.stream?.destroy?.()
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

/** One statement on its way. */
class Statement<R> extends Borrower<MysqlConnection> {
  readonly #request: Request
  readonly #resolve: (result: R) => void
  #running: RunningStatement | undefined

  constructor(
    from: Connections,
    request: Request,
    resolve: (result: R) => void,
    reject: (error: StoreError) => void,
  ) {
    super(from, request.call, request.isWrite, reject)
    this.#request = request
    this.#resolve = resolve
  }

  protected use(connection: MysqlConnection): void {
    connection.prepare(this.#request.sql, (error, statement) => {
      if (error) this.fail(error)
      else if (!this.refuses()) this.#send(connection, statement)
    })
  }

  #send(connection: MysqlConnection, statement: MysqlStatement): void {
    const { isGuarded, call, values } = this.#request
    this.isSent = true
    if (this.isWrite) call.sent = true
    const running = statement.execute(values, (error, result) => {
      if (error) this.fail(error)
      else if (isGuarded && isInTransaction(this.#status(connection, result)))
        this.refuse(lentInTransaction(), true)
      else this.end(() => this.#resolve(result as R), false)
    })
    this.#running = running as RunningStatement | undefined
    if (!this.isWrite) keepStatus(this.#running)
  }

  /** Status of the connection that the server sent with this answer. */
  #status(connection: MysqlConnection, result: unknown): number | undefined {
    if (connection.serverStatus !== undefined) return connection.serverStatus()
    return this.isWrite ? (result as { readonly serverStatus?: number }).serverStatus : this.#running?.status
  }
}

/** The server undoes what was open on a connection that is cut, before anyone else sees it. */
function lentInTransaction(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'A connection was returned to the pool inside a transaction; it is closed, and nothing was changed.',
  )
}
