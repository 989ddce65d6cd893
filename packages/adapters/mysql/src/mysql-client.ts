import type { Socket } from 'node:net'
import { StoreError } from '@unikv/core'
import { closePool, openSocket, track } from './sockets.ts'

/*
 * The parts of mysql2 that are used here, as interfaces: the package type-checks without the driver, and loads it
 * on first use. The driver mariadb is brought into the same shape.
 */

/** A pool of mysql2's callback API, as `createPool` of `mysql2` makes it. */
export interface MysqlPool {
  /** Where it connects to, if it says so: never a user or a password. */
  readonly address?: string
  /** A connection of the pool, as soon as one is free. */
  getConnection(callback: (error: Error | null, connection: MysqlConnection) => void): void
  /** Close all connections. */
  end(callback: (error?: Error | null) => void): void
  /** The same pool with promises. */
  promise(): unknown
}

/** A pool of mysql2's promise API, as `createPool` of `mysql2/promise` makes it. */
export interface MysqlPromisePool {
  /** The pool of the callback API below it, which is what the adapter uses. */
  readonly pool: MysqlPool
}

/** A connection of a pool. */
export interface MysqlConnection {
  /** Prepare a statement, or hand out the one that this connection prepared before. */
  prepare(sql: string, callback: (error: Error | null, statement: MysqlStatement) => void): unknown
  /** Without a listener an error of an idle connection would end the process. */
  on(event: 'error', listener: () => void): unknown
  /** Give the connection back to its pool. */
  release(): void
  /** Close the connection at once; its pool opens another when it needs one. */
  destroy(): void
}

/** A prepared statement of a connection, which keeps it for further use. */
export interface MysqlStatement {
  /** Run the statement with these values. */
  execute(values: readonly Parameter[], callback: (error: Error | null, result: unknown) => void): unknown
}

/** What statements are executed with. Numbers travel as doubles, so only safe integers are numbers. */
export type Parameter = Buffer | string | number | null

/** What a statement that changes rows answers. */
export interface ChangeResult {
  readonly affectedRows: number
  /** A string where it is no safe integer. */
  readonly insertId: number | string
}

/** Where the server is, and who may use it. */
export interface MysqlAddress {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string
  /** Path of a Unix socket, instead of host and port. */
  readonly socketPath: string | undefined
  /** Settings of TLS as for Node's `tls.connect`; `undefined`: none. */
  readonly tls: MysqlTls | undefined
}

/** Settings of TLS. */
export interface MysqlTls {
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined
  readonly cert?: string | Buffer | undefined
  readonly key?: string | Buffer | undefined
  /** Whether the certificate must be signed by someone known. @default true */
  readonly rejectUnauthorized?: boolean | undefined
  /** Whether the certificate must be for this host. @default true */
  readonly verifyIdentity?: boolean | undefined
}

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
export async function openPool(address: MysqlAddress, connectionLimit: number): Promise<OwnPool> {
  const driver = await loadDriver()
  const sockets = new Set<Socket>()
  const { tls, ...server } = address
  const pool = driver.createPool({
    ...server,
    ...(tls === undefined ? {} : { ssl: { verifyIdentity: true, ...tls } }),
    connectionLimit,
    connectTimeout: connectTimeoutMs,
    maxPreparedStatements,
    // Made here, so that `close` can cut what does not answer.
    stream: () => track(openSocket(address), sockets),
  })
  return { pool, close: () => closePool(pool, sockets) }
}

/**
 * The pool of the callback API under a pool that was handed in: the promise API captures a stack for every call.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it is no pool of mysql2, or shapes rows in ways of its own
 */
export function callbackPool(given: MysqlPool | MysqlPromisePool): MysqlPool {
  const pool = 'pool' in given ? given.pool : given
  if (typeof pool?.getConnection !== 'function') {
    throw new StoreError('INVALID_CONFIG', 'pool must be what createPool of mysql2 or mariadb returned.')
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
  createPool(config: Readonly<Record<string, unknown>>): MysqlPool
}

async function loadDriver(): Promise<Driver> {
  try {
    const loaded: { default: Driver } = await import('mysql2')
    return loaded.default
  } catch (cause) {
    throw new StoreError('INVALID_CONFIG', 'The driver mysql2 is missing: npm install mysql2', { cause })
  }
}
