import { StoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import type { ChangeResult, MysqlConnection, MysqlPool, MysqlStatement, Parameter } from './mysql-client.ts'

/*
 * The driver mariadb in the words of mysql2: connections, prepared statements and errors. Both of its APIs serve, with
 * callbacks (`mariadb/callback`) and with promises (`mariadb`).
 */

/** A pool of `mariadb` or `mariadb/callback`, as their `createPool` makes it. */
export interface MariadbPool {
  /** Calls that wait for a connection. */
  taskQueueSize(): number
  /** A connection, by callback or as a promise. */
  getConnection(callback: never): unknown
}

/** A connection of the driver, of either API. */
export interface MariadbConnection {
  prepare(sql: string, callback: Callback<MariadbStatement>): unknown
  ping(callback: Callback<unknown>): unknown
  readonly threadId?: number | null
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Only of a pool. */
  release?(): unknown
  destroy(): void
  /** The server's last status. After an error the driver has it say that there is a transaction. */
  readonly info?: { readonly status?: number } | null
}

interface MariadbStatement {
  execute(values: readonly Parameter[], options: object, callback: Callback<unknown>): unknown
  /** The connection keeps it in its cache. */
  close(): void
}

type Callback<T> = (error: Error | null, result?: T) => void

/** Whether a pool that was handed in is one of this driver. */
export function isMariadbPool(pool: object): pool is MariadbPool {
  return 'taskQueueSize' in pool
}

/** A pool that was handed in, as the adapter uses pools. */
export function mariadbPool(pool: MariadbPool): MysqlPool {
  return {
    getConnection: (callback) =>
      answered<MariadbConnection>(
        (done) => pool.getConnection(done as never),
        (error, connection) => callback(...adapted(error, connection)),
      ),
    end: () => {},
    promise: () => pool,
    address: 'the address of its pool',
  }
}

/** A connection of this driver, as the adapter uses connections. `release` and `destroy` are those of its pool. */
export function mariadbConnection(
  connection: MariadbConnection,
  release: () => void,
  destroy: () => void,
): MysqlConnection {
  return {
    prepare: (sql, callback) =>
      answered<MariadbStatement>(
        (done) => connection.prepare(sql, done),
        (error, statement) =>
          statement === undefined
            ? callback(errorOf(error), undefined as never)
            : callback(null, statementOf(statement)),
      ),
    ping: (callback) => answered<unknown>((done) => connection.ping(done), callback),
    on: (event, listener) => connection.on(event, listener),
    get threadId() {
      return connection.threadId ?? null
    },
    release,
    destroy,
    serverStatus: () => connection.info?.status,
  }
}

/** Rows as the adapter wants them, for any options of the pool. */
const options = {
  rowsAsArray: false,
  nestTables: false,
  metaAsArray: false,
  typeCast: undefined,
  namedPlaceholders: false,
  insertIdAsNumber: false,
  bigIntAsNumber: false,
  supportBigNumbers: false,
}

function statementOf(statement: MariadbStatement): MysqlStatement {
  return {
    execute: (values, callback) =>
      statement.execute(values, options, (error, result) => {
        statement.close()
        if (error) callback(errorOf(error), undefined)
        else callback(null, Array.isArray(result) ? result : changeOf(result))
      }),
  }
}

/** Numbers as mysql2 gives them. */
function changeOf(result: unknown): ChangeResult {
  const { affectedRows, insertId } = result as { readonly affectedRows: number; readonly insertId: bigint }
  const number = Number(insertId)
  return { affectedRows, insertId: Number.isSafeInteger(number) ? number : String(insertId) }
}

function adapted(
  error: Error | null,
  connection: MariadbConnection | undefined,
): [Error | null, MysqlConnection] {
  if (connection === undefined) return [errorOf(error), undefined as never]
  const release = (): void => void Promise.resolve(connection.release?.()).catch(() => {})
  return [null, mariadbConnection(connection, release, () => connection.destroy())]
}

/** One of the two APIs answers by the callback, the other one by a promise. */
function answered<T>(ask: (callback: Callback<T>) => unknown, callback: Callback<T>): void {
  const promise = ask(callback) as PromiseLike<T> | undefined
  if (typeof promise?.then !== 'function') return
  promise.then(
    (result) => callback(null, result),
    (error: Error) => callback(error),
  )
}

/** Errors of the driver itself, by its names. */
const closedPools: ReadonlySet<unknown> = new Set(['ER_POOL_ALREADY_CLOSED', 'ER_CLOSING_POOL'])

/**
 * An error of the driver as one of mysql2: with a number if it is the server's. A copy, as the driver's own holds the
 * statement with its values. Why a pool could not connect stands in its cause.
 */
export function errorOf(error: unknown): Error {
  // Some versions reject with null.
  const { code, errno, message, sqlMessage, cause } = (error ?? nothingSaid) as DriverError
  if (closedPools.has(code)) return new StoreError('CLOSED', 'The pool of connections is closed.')
  if (code === 'ER_CMD_CONNECTION_CLOSED')
    return new StoreError('UNAVAILABLE', 'The connection was closed meanwhile; nothing was sent.')
  if (code === 'ER_GET_CONNECTION_TIMEOUT' && cause === undefined)
    return new StoreError('OVERLOADED', 'All connections are in use.')
  if (isError(cause)) return errorOf(cause)
  const isOfServer = typeof errno === 'number' && errno > 0 && !(errno > 45_000 && errno < 46_000)
  return Object.assign(new Error(sqlMessage ?? message), { code: codeOf(code) }, isOfServer ? { errno } : {})
}

const nothingSaid: DriverError = { message: 'The driver failed without a message.' }

interface DriverError {
  readonly code?: unknown
  readonly errno?: unknown
  readonly message: string
  /** The message alone; `message` also has the statement. */
  readonly sqlMessage?: string
  readonly cause?: unknown
}

/** Problems with TLS by the names of mysql2. */
function codeOf(code: unknown): unknown {
  const text = String(code)
  if (text === 'ER_SERVER_SSL_DISABLED') return 'HANDSHAKE_NO_SSL_SUPPORT'
  return /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|LEAF_SIGNATURE/.test(text) ? 'HANDSHAKE_SSL_ERROR' : code
}
