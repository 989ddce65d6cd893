import type { CallOptions, GroupCall } from '@unikv/core'
import { Lender, type SqlPool } from '@unikv/core/sql-client'
import { isConflict, postgresError, spoilsConnection } from '../errors.ts'
import { type FoundRecord, textRecord } from '../found-record.ts'
import type { Sql } from '../statements.ts'
import type { Parameter } from './bind-message.ts'
import { type Answer, Execution, lentInTransaction, Question } from './execution.ts'
import { LentConnection } from './lent-connection.ts'
import {
  ignored,
  limitOf,
  type PostgresConnection,
  type PostgresPool,
  placeOf,
  type Row,
} from './postgres-client.ts'

/**
 * Executes statements on the connections of a pool, each within the deadline of its call, which covers waiting for a
 * connection: what waits was certainly not sent.
 */
export class Connections extends Lender<PostgresConnection> {
  /** The server in messages, without user and password. */
  readonly place: string
  readonly #pool: PostgresPool

  constructor(pool: PostgresPool, queueLimit: number) {
    super(sqlPool(pool), queueLimit)
    this.place = placeOf(pool)
    this.#pool = pool
    pool.on('error', ignored)
  }

  /**
   * The rows of a statement. Its values are copied at once.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait; `OUTCOME_UNKNOWN` if a write was sent and nothing came back
   */
  execute(
    sql: Sql,
    values: readonly Parameter[],
    call: CallOptions,
    isWrite: boolean,
  ): Promise<readonly Row[]> {
    return this.#answer(sql, values, call, isWrite) as Promise<readonly Row[]> // as text
  }

  /**
   * The records of a statement that reads them.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait
   */
  records(sql: Sql, values: readonly Parameter[], call: CallOptions): Promise<readonly FoundRecord[]> {
    const answer = this.#answer(sql, values, call, false)
    return sql.isBinary === true
      ? (answer as Promise<readonly FoundRecord[]>)
      : (answer as Promise<readonly Row[]>).then((rows) => rows.map(textRecord))
  }

  /** A connection for a transaction, as `hold` gives it. */
  lend(call: GroupCall): Promise<LentConnection> {
    return this.hold(call, (connection, giveBack) => new LentConnection(connection, this, giveBack))
  }

  override close(): void {
    super.close()
    this.#pool.removeListener('error', ignored)
  }

  #answer(
    sql: Sql,
    values: readonly Parameter[],
    call: CallOptions,
    isWrite: boolean,
  ): Promise<readonly Answer[]> {
    return this.borrow(
      (resolve, reject) => new Execution(this, { sql, values, call, isWrite }, resolve, reject),
    )
  }
}

function sqlPool(pool: PostgresPool): SqlPool<PostgresConnection> {
  const where = placeOf(pool)
  return {
    pool,
    limit: limitOf(pool),
    take: (borrow) =>
      pool.connect((error, connection) => {
        if (connection !== undefined) guard(connection)
        borrow(error, connection)
      }),
    ask: (connection, answered) => connection.query(new Question(answered)),
    giveBack: (connection) => connection.release(),
    cut: (connection) => connection.release(true),
    refusal: lentInTransaction,
    errorOf: (error, isWrite, sent) => postgresError(error, { where, isWrite, sent }),
    spoils: spoilsConnection,
    isConflict,
  }
}

/** Connections whose errors are listened to: once for all stores that share a pool, one after the other perhaps. */
const guarded = new WeakSet<PostgresConnection>()

/** Errors of a connection must not end the process while it is lent. */
function guard(connection: PostgresConnection): void {
  if (guarded.has(connection)) return
  guarded.add(connection)
  connection.on('error', ignored)
}
