import type { CallOptions, ServerStatistics } from '@unikv/core'
import { addedStatistics, bounded, figureOf, limitOf } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { callBuffer, isCluster, type RedisConnection } from './client/redis-client.ts'
import { textOf } from './client/replies.ts'
import { translate } from './errors.ts'

/** Figures of INFO, added up over the masters of a cluster. */
export async function statistics(
  { servers, connection }: Backend,
  call: CallOptions,
): Promise<ServerStatistics> {
  await servers.ready(connection, call)
  const nodes = isCluster(connection) ? connection.nodes('master') : [connection]
  return addedStatistics(
    await Promise.all(
      nodes.map(async (node) => {
        await servers.ready(node, call)
        return statisticsIn(await infoOf(node, call))
      }),
    ),
  )
}

async function infoOf(connection: RedisConnection, call: CallOptions): Promise<ReadonlyMap<string, string>> {
  try {
    const reply = await bounded(
      call,
      false,
      () => callBuffer(connection, 'info', []),
      () => {},
    )
    const lines = textOf(reply).matchAll(/^(\w+):(.*?)\r?$/gm)
    return new Map(Array.from(lines, ([, name = '', value = '']) => [name, value]))
  } catch (error) {
    throw translate(error, false)
  }
}

function statisticsIn(info: ReadonlyMap<string, string>): ServerStatistics {
  const figure = (name: string): number | undefined => figureOf(info.get(name))
  const uptime = figure('uptime_in_seconds')
  return {
    version: info.get('valkey_version') ?? info.get('redis_version'),
    uptimeMs: uptime === undefined ? undefined : uptime * 1000,
    connections: figure('connected_clients'),
    maxConnections: figure('maxclients'),
    memoryBytes: figure('used_memory'),
    maxMemoryBytes: limitOf(info.get('maxmemory')),
    storedBytes: figure('used_memory_dataset'),
    records: recordsIn(info),
    scope: 'server',
    cacheHits: figure('keyspace_hits'),
    cacheMisses: figure('keyspace_misses'),
    evictions: figure('evicted_keys'),
    expirations: figure('expired_keys'),
    operations: figure('total_commands_processed'),
    receivedBytes: figure('total_net_input_bytes'),
    sentBytes: figure('total_net_output_bytes'),
  }
}

/** `db0:keys=3,expires=0,…` for each database that is not empty. */
function recordsIn(info: ReadonlyMap<string, string>): number {
  let records = 0
  for (const [name, value] of info)
    if (/^db\d+$/.test(name)) records += Number(/keys=(\d+)/.exec(value)?.[1] ?? 0)
  return records
}
