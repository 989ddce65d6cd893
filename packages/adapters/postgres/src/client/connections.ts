import { type CallOptions, type GroupCall, StoreError } from '@unikv/core'
import { closed, Deadlines, LastUses, Permits } from '@unikv/core/adapter'
import { queueMicrotask } from '@unikv/core/platform'
import { type FoundRecord, textRecord } from '../found-record.ts'
import type { Sql } from '../statements.ts'
import type { Parameter } from './bind-message.ts'
import { type Answer, Execution, Question, type Surroundings } from './execution.ts'
import { type Borrower, Lease, type LentConnection } from './lent-connection.ts'
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
export class Connections {
  readonly #pool: PostgresPool
  readonly #queueLimit: number
  readonly #around: Surroundings
  readonly #waiting = new Set<Borrower>()
  readonly #permits: Permits
  #isHanding = false

  constructor(pool: PostgresPool, queueLimit: number) {
    this.#pool = pool
    this.#queueLimit = queueLimit
    this.#permits = Permits.of(pool, limitOf(pool))
    this.#around = { place: placeOf(pool), deadlines: new Deadlines(), uses: new LastUses() }
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

  /** The server in messages, without user and password. */
  get place(): string {
    return this.#around.place
  }

  /**
   * A connection for a transaction, which gives it back. There are fewer of these than connections.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait
   */
  async lend(call: GroupCall): Promise<LentConnection> {
    if (this.#waiting.size + this.#permits.waiting >= this.#queueLimit) throw overloaded(this.#queueLimit)
    const giveBack = await this.#permits.take(call, this)
    try {
      return await new Promise((resolve, reject) => {
        this.#lend(new Lease(call, this.#around, { resolve, reject, giveBack }))
      })
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** End what still waits for a connection (a pool that is closing never answers it). */
  close(): void {
    for (const borrower of this.#waiting) borrower.fail(closed())
    this.#permits.refuse(this, closed())
    this.#pool.removeListener('error', ignored)
  }

  #answer(
    sql: Sql,
    values: readonly Parameter[],
    call: CallOptions,
    isWrite: boolean,
  ): Promise<readonly Answer[]> {
    if (this.#waiting.size >= this.#queueLimit) return Promise.reject(overloaded(this.#queueLimit))
    return new Promise((resolve, reject) => {
      this.#lend(new Execution({ sql, values, call, isWrite }, this.#around, resolve, reject))
    })
  }

  #lend(borrower: Borrower): void {
    this.#waiting.add(borrower)
    this.#pool.connect((error, connection) => {
      this.#waiting.delete(borrower)
      if (connection === undefined) return borrower.fail(error)
      guard(connection)
      if (this.#around.uses.isIdle(connection)) void this.#ask(connection, borrower)
      else this.#hand(connection, borrower)
    })
  }

  /**
   * A borrower whose call is over gives the connection back at once, and the pool hands it to the next one in that moment. Thousands of these
   * would be as many calls on the stack, so the next one has its turn after this one.
   */
  #hand(connection: PostgresConnection, borrower: Borrower): void {
    if (this.#isHanding) return queueMicrotask(() => this.#hand(connection, borrower))
    this.#isHanding = true
    try {
      borrower.start(connection)
    } finally {
      this.#isHanding = false
    }
  }

  /** A connection that may have died unseen is replaced unless it answers. */
  async #ask(connection: PostgresConnection, borrower: Borrower): Promise<void> {
    const ask = (answered: (lives?: boolean) => void): unknown => connection.query(new Question(answered))
    if (await this.#around.uses.lives(connection, ask)) return this.#hand(connection, borrower)
    connection.release(true)
    this.#lend(borrower)
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

function overloaded(queueLimit: number): StoreError {
  return new StoreError(
    'OVERLOADED',
    `${queueLimit} statements are already waiting for a connection. Send fewer, or raise maxConnections.`,
  )
}
