import { connect, type Socket } from 'node:net'
import { StoreError } from '@unikv/core'
import { cannotLoad } from '@unikv/core/adapter'
import { closePool, track } from '@unikv/core/sql-client'
import type { MysqlAddress, MysqlPool, MysqlPromisePool } from './mysql-client.ts'

/** A pool that we opened, and how it ends. */
export interface OwnPool {
  readonly pool: MysqlPool
  /** Say goodbye to the server; what has not closed after a second is cut. */
  close(): Promise<void>
}

/** Longest wait for a connection to be made. */
const connectTimeoutMs = 5_000
/** Prepared statements that a connection keeps; the adapter needs fewer. */
const maxPreparedStatements = 200

/**
 * Open a pool. No connection is made yet.
 *
 * @throws {StoreError} `INVALID_CONFIG` if mysql2 is not installed
 */
export async function openPool(address: MysqlAddress, maxConnections: number): Promise<OwnPool> {
  const driver = await loadDriver()
  const sockets = new Set<Socket>()
  const { tls, ...server } = address
  const pool = driver.createPool({
    ...server,
    ...(tls === undefined ? {} : { ssl: { verifyIdentity: true, ...tls } }),
    connectionLimit: maxConnections,
    connectTimeout: connectTimeoutMs,
    maxPreparedStatements,
    // Made here, so that `close` can cut what does not answer.
    stream: () => track(openSocket(address), sockets),
  })
  // Goes out before the first statement. Answers say whether it holds.
  pool.on('connection', (connection) => connection.query('SET autocommit = 1', () => {}))
  return { pool, close: () => closePool(() => pool.end(() => {}), sockets) }
}

/** A socket on its way to the server. */
export function openSocket({ socketPath, host, port }: MysqlAddress): Socket {
  return socketPath === undefined
    ? connect({ host, port, noDelay: true, keepAlive: true })
    : connect({ path: socketPath })
}

/**
 * The pool of the callback API under a pool that was handed in: the promise API captures a stack for every call.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it is not a pool of mysql2, or changes the shape of rows
 */
export function callbackPool(given: MysqlPool | MysqlPromisePool): MysqlPool {
  const pool = 'pool' in given ? given.pool : given
  if (typeof pool?.getConnection !== 'function') {
    throw new StoreError('INVALID_CONFIG', 'pool must be the result of createPool() of mysql2 or mariadb.')
  }
  const { rowsAsArray, nestTables, typeCast } = connectionConfig(pool)
  if (rowsAsArray !== true && !nestTables && (typeCast === undefined || typeCast === true)) return pool
  throw new StoreError(
    'INVALID_CONFIG',
    'The pool must not set rowsAsArray, nestTables or typeCast: rows must come as they are.',
  )
}

/** Where a pool connects to, for error messages: never a user or a password. */
export function addressOf(pool: MysqlPool): string {
  const { socketPath, host, port } = connectionConfig(pool)
  if (pool.address !== undefined) return pool.address
  return typeof socketPath === 'string' ? socketPath : `${host ?? 'localhost'}:${port ?? 3306}`
}

/** How many connections a pool has at most, if it tells. */
export function limitOf(pool: MysqlPool): number | undefined {
  const { config } = pool as { readonly config?: { readonly connectionLimit?: number } }
  return pool.connectionLimit ?? config?.connectionLimit
}

interface ConnectionConfig {
  readonly host?: string
  readonly port?: number
  readonly socketPath?: string
  readonly rowsAsArray?: unknown
  readonly nestTables?: unknown
  readonly typeCast?: unknown
}

function connectionConfig(pool: MysqlPool): ConnectionConfig {
  return (pool as { config?: { connectionConfig?: ConnectionConfig } }).config?.connectionConfig ?? {}
}

interface Driver {
  createPool(config: Readonly<Record<string, unknown>>): MadePool
}

interface MadePool extends MysqlPool {
  /** A connection was made, and is not in use yet. */
  on(event: 'connection', listener: (connection: NewConnection) => void): unknown
}

interface NewConnection {
  query(sql: string, callback: () => void): unknown
}

async function loadDriver(): Promise<Driver> {
  try {
    const loaded: { default: Driver } = await import('mysql2')
    return loaded.default
  } catch (cause) {
    throw cannotLoad('mysql2', cause)
  }
}
