import type { MysqlPool } from './mysql-client.ts'

/**
 * `native` of a store that opens its pool itself, which it does on first use: SQL of your own on the same
 * connections, in the words of mysql2 by either driver. For all of a driver, hand in a pool: `native` is then that pool.
 */
export interface MysqlNative {
  /** SQL as text, values filled in by the client. Resolves to rows (or result) and fields, as mysql2 does. */
  query<T = unknown>(sql: string, values?: readonly unknown[]): Promise<[T, unknown]>
  /** A prepared statement. Resolves to rows (or result) and fields, as mysql2 does. */
  execute<T = unknown>(sql: string, values?: readonly unknown[]): Promise<[T, unknown]>
  /** A connection of one's own, for transactions. Release it. */
  getConnection(): Promise<MysqlNativeConnection>
}

/** A connection of one's own. */
export interface MysqlNativeConnection extends Omit<MysqlNative, 'getConnection'> {
  /** Start a transaction on this connection. */
  beginTransaction(): Promise<void>
  /** Make it last. */
  commit(): Promise<void>
  /** Undo it. */
  rollback(): Promise<void>
  /** Give the connection back to its pool. */
  release(): void
}

/** The promise API of a pool that is not open yet. */
export function lazyNative(open: () => Promise<MysqlPool>): MysqlNative {
  const promised = async (): Promise<MysqlNative> => (await open()).promise() as MysqlNative
  return Object.freeze<MysqlNative>({
    query: async (sql, values) => (await promised()).query(sql, values),
    execute: async (sql, values) => (await promised()).execute(sql, values),
    getConnection: async () => (await promised()).getConnection(),
  })
}
