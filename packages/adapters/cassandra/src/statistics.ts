import { type CallOptions, isStoreError, type ServerStatistics } from '@unikv/core'
import { figureOf } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { levels } from './client/consistency.ts'
import { readOptions } from './client/query-options.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Figures of the virtual tables of Cassandra 4.0 and later, which tell of the one node that answers. The size is that node's part of the table,
 * in whole MiB.
 */
export async function statistics(
  { session, settings: { keyspace, table } }: Backend,
  call: CallOptions,
): Promise<ServerStatistics> {
  const rows = async (cql: string, params: readonly unknown[] = []): Promise<readonly Row[]> => {
    const options = readOptions({ consistency: levels.one }, session.timers.next(call))
    return ((await session.read({ cql, params, options }, call)).rows ?? []) as readonly Row[]
  }
  // A node that keeps virtual tables from its users, or is older, tells its version alone.
  const virtual = (cql: string, params?: readonly unknown[]): Promise<readonly Row[]> =>
    rows(cql, params).catch((error: unknown) => {
      if (isStoreError(error) && !error.retryable) return []
      throw error
    })
  const [[local], clients, sizes, caches] = await Promise.all([
    rows('SELECT release_version FROM system.local'),
    virtual('SELECT count(*) AS connections FROM system_views.clients'),
    virtual('SELECT mebibytes FROM system_views.disk_usage WHERE keyspace_name = ? AND table_name = ?', [
      keyspace,
      table,
    ]),
    virtual('SELECT name, hit_count, request_count, size_bytes FROM system_views.caches'),
  ])
  const mebibytes = figureOf(sizes[0]?.['mebibytes'])
  const keys = caches.find(({ name }) => name === 'keys')
  const hits = figureOf(keys?.['hit_count'])
  const asked = figureOf(keys?.['request_count'])
  return {
    version: typeof local?.['release_version'] === 'string' ? local['release_version'] : undefined,
    connections: figureOf(clients[0]?.['connections']),
    storedBytes: mebibytes === undefined ? undefined : mebibytes * 1024 * 1024,
    scope: 'dataset',
    cacheHits: hits,
    cacheMisses: hits === undefined || asked === undefined ? undefined : Math.max(0, asked - hits),
  }
}
