import type { CallOptions, ServerStatistics } from '@unikv/core'
import { addedStatistics, bounded, figureOf, leftMs } from '@unikv/core/adapter'
import type { MemcachedClient } from './client/memcached-client.ts'

/** Figures of the command `stats`, added up over all servers. */
export async function statistics(client: MemcachedClient, call: CallOptions): Promise<ServerStatistics> {
  const timeoutMs = Math.max(1, leftMs(call))
  const told = await bounded(
    call,
    false,
    () => Promise.all(client.servers.map((server) => client.stats('', { server, timeoutMs }))),
    () => {},
  )
  return addedStatistics(told.map(statisticsIn))
}

function statisticsIn(stats: Readonly<Record<string, string>>): ServerStatistics {
  const figure = (name: string): number | undefined => figureOf(stats[name])
  const uptime = figure('uptime')
  const [gets, sets, touches] = ['cmd_get', 'cmd_set', 'cmd_touch'].map((name) => figure(name) ?? 0)
  return {
    version: stats['version'],
    uptimeMs: uptime === undefined ? undefined : uptime * 1000,
    connections: figure('curr_connections'),
    maxConnections: figure('max_connections'),
    memoryBytes: figure('bytes'),
    maxMemoryBytes: figure('limit_maxbytes'),
    storedBytes: figure('bytes'),
    records: figure('curr_items'),
    scope: 'server',
    cacheHits: figure('get_hits'),
    cacheMisses: figure('get_misses'),
    evictions: figure('evictions'),
    operations: (gets ?? 0) + (sets ?? 0) + (touches ?? 0),
    receivedBytes: figure('bytes_read'),
    sentBytes: figure('bytes_written'),
  }
}
