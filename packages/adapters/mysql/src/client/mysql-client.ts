/*
 * The parts of mysql2 that are used here, as interfaces: the package type-checks without the driver, and loads it
 * on first use. The driver mariadb is brought into the same shape.
 */

/** A pool of mysql2's callback API, as `createPool` of `mysql2` makes it. */
export interface MysqlPool {
  /** Where it connects to, if it says so: never a user or a password. */
  readonly address?: string
  /** How many connections it has at most, where it is not a pool of mysql2. */
  readonly connectionLimit?: number
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
  /** Run a statement that the server does not prepare; without it statements are prepared. */
  query?(sql: string, callback: (error: Error | null) => void): unknown
  /** The number of the connection in the server. */
  readonly threadId?: number | null
  /** Ask the server for a sign of life. */
  ping?(callback: (error: Error | null) => void): unknown
  /** Without a listener an error of an idle connection would end the process. */
  on(event: 'error', listener: () => void): unknown
  /** Give the connection back to its pool. */
  release(): void
  /** Close the connection at once; its pool opens another when it needs one. */
  destroy(): void
  /** Status of the connection with its last answer; mysql2 has it in the answers themselves. */
  serverStatus?(): number | undefined
}

/** A prepared statement of a connection, which keeps it for further use. */
export interface MysqlStatement {
  /** Run the statement with these values. */
  execute(values: readonly Parameter[], callback: (error: Error | null, result: unknown) => void): unknown
}

/** A parameter of a statement. Numbers travel as doubles, so only safe integers are numbers. */
export type Parameter = Buffer | string | number | null

/** The answer of a statement that changes rows. */
export interface ChangeResult {
  readonly affectedRows: number
  /** A string where it is not a safe integer. */
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
