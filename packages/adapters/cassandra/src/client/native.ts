import type { CassandraClient, CassandraQueryOptions, CassandraResult } from './cassandra-client.ts'

/**
 * `native` of a store that opens its client itself, which it does on first use. For all of cassandra-driver, hand in a
 * client: `native` is then that client.
 */
export interface CassandraNative {
  /** CQL of your own, by the same connections. */
  execute(
    query: string,
    params?: readonly unknown[],
    options?: CassandraQueryOptions,
  ): Promise<CassandraResult>
}

/** CQL by a client that is not open yet. */
export function lazyNative(open: () => Promise<CassandraClient>): CassandraNative {
  return Object.freeze<CassandraNative>({
    execute: async (query, params, options) => (await open()).execute(query, params, options),
  })
}
