import { Socket } from 'node:net'
import { cannotLoad, invalidConfig } from '@unikv/core/adapter'
import { closePool, track } from '@unikv/core/sql-client'
import { type TappedConnection, tapRows } from './row-tap.ts'

/*
 * The parts of pg that are used here, as interfaces: the package type-checks without the driver and its types, and
 * loads it on first use.
 */

/** A pool, as `new Pool()` of `pg` makes it. */
export interface PostgresPool {
  /** A connection of the pool, as soon as one is free. */
  connect(callback: (error: Error | undefined, connection: PostgresConnection | undefined) => void): unknown
  /** Close all connections, each when it is given back. */
  end(): Promise<void>
  /** Hears the errors of idle connections. Without a listener they would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Take a listener back. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown
}

/** A connection of a pool. */
export interface PostgresConnection {
  /** Run a statement that writes itself to the connection when its turn has come. */
  query(statement: PostgresSubmission): unknown
  /** Whether it is inside a transaction: `I` is no, `T` and `E` are yes. */
  getTransactionStatus?(): string | null
  /** Hears the errors of the connection while it is lent. Without a listener they would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Give the connection back to its pool; with `true` the pool cuts it and opens another when it needs one. */
  release(spoilt?: boolean): void
}

/** A row: its columns as the text that the server sends, without the application's type parsers. */
export type Row = readonly (string | null)[]

/** A statement as pg takes them from packages that extend it, such as pg-cursor. */
export interface PostgresSubmission {
  /** A connection knows by it that the statement is prepared; `''`: it is prepared each time. */
  readonly name: string
  readonly text: string
  /** pg wraps it where a pool has a `query_timeout`, to stop its timer. */
  callback: () => void
  /** Write the statement; it is its turn. An error: it was not written. */
  submit(connection: PostgresWire): Error | null
  /** One row of the answer. */
  handleDataRow(message: { readonly fields: Row }): void
  /** The statement is done. */
  handleCommandComplete(): void
  /** The server waits for the next statement. */
  handleReadyForQuery(): void
  /** The server refused the statement, or the connection is lost. */
  handleError(error: unknown): void
}

/** The protocol's side of a connection. */
export interface PostgresWire {
  /** Texts of the statements that it has prepared, by name. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  /** Its socket. */
  readonly stream: PostgresSocket
  /** Have a statement prepared. */
  parse(statement: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void
}

/** Where the server is, and who may use it. pg takes `undefined` parts from its environment variables (`PGUSER` …). */
export interface PostgresAddress {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string
  /** Settings of TLS as for Node's `tls.connect`; `false`: none; `undefined`: as `PGSSLMODE` says. */
  readonly ssl: PostgresTls | false | undefined
}

/** Settings of TLS. */
export interface PostgresTls {
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined
  readonly cert?: string | Buffer | undefined
  readonly key?: string | Buffer | undefined
  /** Whether the certificate must be signed by someone known, and be for this host. @default true */
  readonly rejectUnauthorized?: boolean | undefined
  /** The name that the certificate must have, if not the host in the `url`. */
  readonly servername?: string | undefined
}

/** The socket of a connection. */
export interface PostgresSocket {
  readonly writable: boolean
  /** Send bytes, in order. */
  write(bytes: Uint8Array): unknown
}

/** A pool that we opened, and how it ends. */
export interface OwnPool {
  readonly pool: NativePool
  /** Whether its connections give rows as bytes. */
  readonly binary: boolean
  /** Say goodbye to the server; what has not closed after a second is cut. */
  close(): Promise<void>
}

/** A pool with the methods for SQL of the application's own. */
export interface NativePool extends PostgresPool {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>
  connect(callback: Parameters<PostgresPool['connect']>[0]): unknown
  connect(): Promise<unknown>
}

/** Longest wait for a connection to be made. */
const connectTimeoutMs = 5_000
/** A connection that was not used for so long is closed. */
const idleTimeoutMs = 60_000

/**
 * Open a pool. No connection is made yet.
 *
 * @throws {StoreError} `INVALID_CONFIG` if pg is not installed
 */
export async function openPool(address: PostgresAddress, maxConnections: number): Promise<OwnPool> {
  const { Pool, Client, Connection } = await loadDriver()
  const binary = typeof Connection?.prototype?.attachListeners === 'function'
  const sockets = new Set<Socket>()
  /** The pool's own limit of time would also end the wait for a free connection, which belongs to the call. */
  class TimedClient extends Client {
    constructor(config: Readonly<Record<string, unknown>>) {
      super({ ...config, password: address.password, connectionTimeoutMillis: connectTimeoutMs })
      if (binary) tapRows(this.connection)
      // Also while it is lent by `native`, from the moment at which the pool takes its own listener away.
      this.on('error', ignored)
    }
  }
  const pool = new Pool({
    ...withoutUndefined(address),
    max: maxConnections,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    Client: TimedClient,
    // Made here, so that `close` can cut what does not answer.
    stream: () => track(new Socket(), sockets),
  })
  pool.on('error', ignored)
  return { pool, binary, close: () => closePool(() => pool.end(), sockets) }
}

/** The pool has removed the connection already: there is nothing left to do about it. */
export function ignored(): void {}

/**
 * A pool that was handed in.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it is none
 */
export function checkedPool(given: PostgresPool): PostgresPool {
  const isPool =
    typeof given?.connect === 'function' && typeof given.on === 'function' && 'totalCount' in given
  if (!isPool) throw invalidConfig('pool must be a Pool of pg.')
  const { options } = given as { readonly options?: { readonly pipeline?: unknown } }
  if (options?.pipeline === true)
    throw invalidConfig('The pool must not set pipeline: it makes outcomes uncertain.')
  return given
}

/** Where a pool connects to, for error messages: never a user or a password. */
export function placeOf(pool: PostgresPool): string {
  const { options } = pool as { options?: { host?: string; port?: number; connectionString?: string } }
  const { connectionString = '' } = options ?? {}
  const url = URL.canParse(connectionString) ? new URL(connectionString) : undefined
  const host = url?.hostname || options?.host
  if (host === undefined) return 'PostgreSQL'
  return host.startsWith('/')
    ? `PostgreSQL at ${host}`
    : `PostgreSQL at ${host}:${url?.port || (options?.port ?? 5432)}`
}

/** How many connections a pool has at most, if it tells. */
export function limitOf(pool: PostgresPool): number | undefined {
  return (pool as { readonly options?: { readonly max?: number } }).options?.max
}

interface Driver {
  readonly Pool: new (config: Readonly<Record<string, unknown>>) => NativePool
  readonly Client: new (
    config: Readonly<Record<string, unknown>>,
  ) => Pick<PostgresPool, 'on'> & { readonly connection: TappedConnection }
  /** Absent in versions that read sockets otherwise. */
  readonly Connection?: { readonly prototype?: Partial<TappedConnection> }
}

async function loadDriver(): Promise<Driver> {
  try {
    return ((await import('pg')) as unknown as { default: Driver }).default
  } catch (cause) {
    throw cannotLoad('pg', cause)
  }
}

function withoutUndefined(address: PostgresAddress): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value !== undefined))
}
