import { type CallOptions, StoreError } from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import {
  ignored,
  type PostgresAnswer,
  type PostgresConnection,
  type PostgresParameter,
  type PostgresPool,
} from './postgres-client.ts'
import { type Progress, postgresError, spoilsConnection } from './postgres-errors.ts'
import type { Sql } from './statements.ts'

/** A row as text, in hexadecimal where it is bytes. */
export type Row = PostgresAnswer['rows'][number]

/**
 * Executes statements on the connections of a pool, each within the deadline of its call, which covers waiting for a
 * connection: what waits was certainly not sent.
 */
export class Connections {
  readonly pool: PostgresPool
  readonly place: string
  readonly #queueLimit: number
  readonly #waiting = new Set<Execution>()

  /** `place` is the server in messages, without user and password. */
  constructor(pool: PostgresPool, place: string, queueLimit: number) {
    this.pool = pool
    this.place = place
    this.#queueLimit = queueLimit
    pool.on('error', ignored)
  }

  /**
   * The rows of a statement.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait; `OUTCOME_UNKNOWN` if a write was sent and nothing came back
   */
  execute(
    sql: Sql,
    values: PostgresParameter[],
    call: CallOptions,
    isWrite: boolean,
  ): Promise<readonly Row[]> {
    if (this.#waiting.size >= this.#queueLimit) return Promise.reject(overloaded(this.#queueLimit))
    return new Promise((resolve, reject) => {
      const execution = new Execution({ sql, values, call, isWrite }, this.place, resolve, reject)
      this.#waiting.add(execution)
      this.pool.connect((error, connection) => {
        this.#waiting.delete(execution)
        if (connection === undefined) execution.fail(error)
        else execution.start(connection)
      })
    })
  }

  /** End what still waits for a connection: a pool that is closing never answers it. */
  close(): void {
    this.pool.removeListener('error', ignored)
    for (const execution of this.#waiting) execution.fail(closed())
  }
}

/** A statement, on behalf of a call. */
interface Request {
  readonly sql: Sql
  readonly values: PostgresParameter[]
  readonly call: CallOptions
  readonly isWrite: boolean
}

/** One statement on its way: ends once, with its answer or at its deadline. */
class Execution {
  readonly #request: Request
  readonly #place: string
  readonly #resolve: (rows: readonly Row[]) => void
  readonly #reject: (error: StoreError | undefined) => void
  readonly #timer: NodeJS.Timeout | undefined
  #connection: PostgresConnection | undefined
  #progress: Progress = 'unsent'
  #over = false

  constructor(
    request: Request,
    place: string,
    resolve: (rows: readonly Row[]) => void,
    reject: (error: StoreError | undefined) => void,
  ) {
    this.#request = request
    this.#place = place
    this.#resolve = resolve
    this.#reject = reject
    const leftMs = request.call.deadlineAt - performance.now()
    // Replies that already wait in the socket, after a blocked event loop, come before the check phase.
    if (leftMs < maxTimerMs) this.#timer = setTimeout(() => setImmediate(() => this.#expire()), leftMs)
  }

  start(connection: PostgresConnection): void {
    if (this.#over) return connection.release()
    connection.on('error', ignored)
    this.#connection = connection
    const { call, isWrite } = this.#request
    const refusal = endOf(withProgress(call, this.#progress), isWrite)
    if (refusal !== undefined) return this.#end(() => this.#reject(refusal))
    if (isInTransaction(connection)) return this.#end(() => this.#reject(lentInTransaction()), true)
    this.#send(connection)
  }

  fail(error: unknown): void {
    const spoilt = spoilsConnection(error)
    this.#end(() => this.#reject(postgresError(error, this.#progress, this.#place)), spoilt)
  }

  #send(connection: PostgresConnection): void {
    const { isWrite, call, sql, values } = this.#request
    this.#progress = isWrite ? 'write sent' : 'read sent'
    if (isWrite) call.sent = true
    connection.query({ ...sql, values, rowMode: 'array', types }, (error, answer) => {
      if (error) this.fail(error)
      else this.#end(() => this.#resolve(answer.rows))
    })
  }

  /** The connection goes with the call, so that a late reply reaches nobody else. */
  #expire(): void {
    const { call, isWrite } = this.#request
    const ended = { ...withProgress(call, this.#progress), settled: true }
    this.#end(() => this.#reject(endOf(ended, isWrite)), true)
  }

  #end(settle: () => void, spoilt = false): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    // What a cut connection says about its end is of no interest, and must not be uncaught.
    if (!spoilt) this.#connection?.removeListener('error', ignored)
    this.#connection?.release(spoilt)
    settle()
  }
}

/** Longest time that a timer of Node takes. */
const maxTimerMs = 2 ** 31 - 1

const asText = (text: string): string => text
const types = { getTypeParser: () => asText }

/** The call as far as this statement of it got. */
function withProgress({ deadlineAt, signal, settled = false }: CallOptions, progress: Progress): CallOptions {
  return { deadlineAt, signal, settled, sent: progress === 'write sent' }
}

/** A statement inside someone's transaction would be undone with it, though it was acknowledged. */
function isInTransaction(connection: PostgresConnection): boolean {
  const status = (connection as { getTransactionStatus?(): string | null }).getTransactionStatus?.()
  return status === 'T' || status === 'E'
}

function lentInTransaction(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'A connection was given back to the pool inside a transaction; it is cut, and nothing was sent.',
  )
}

function overloaded(queueLimit: number): StoreError {
  return new StoreError(
    'OVERLOADED',
    `${queueLimit} statements wait for a connection already. Send fewer, or raise connectionLimit.`,
  )
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'This store is closed. Open a new one.')
}
