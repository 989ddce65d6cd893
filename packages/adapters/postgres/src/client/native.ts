import type { NativePool } from './postgres-client.ts'

/**
 * `native` of a store that opens its pool itself, which it does on first use: SQL of your own on the same
 * connections. For all of pg, hand in a pool: `native` is then that pool.
 */
export interface PostgresNative {
  /** Run SQL with values for `$1`, `$2` … */
  query<R = unknown>(sql: string, values?: readonly unknown[]): Promise<PostgresResult<R>>
  /** A connection of one's own, for transactions. Release it. */
  connect(): Promise<PostgresNativeConnection>
}

/** A connection of one's own. */
export interface PostgresNativeConnection extends Omit<PostgresNative, 'connect'> {
  /** Give the connection back to its pool, outside any transaction. */
  release(): void
}

/** The answer to SQL of your own, as pg gives it. */
export interface PostgresResult<R = unknown> {
  readonly rows: R[]
  /** Rows that were changed or found. */
  readonly rowCount: number | null
}

/** The promise API of a pool that is not open yet. */
export function lazyNative(open: () => Promise<NativePool>): PostgresNative {
  return Object.freeze<PostgresNative>({
    query: async <R>(sql: string, values?: readonly unknown[]) =>
      (await (await open()).query(sql, values)) as PostgresResult<R>,
    connect: async () => (await (await open()).connect()) as PostgresNativeConnection,
  })
}
