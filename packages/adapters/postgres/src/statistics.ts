import type { CallOptions, ServerStatistics } from '@unikv/core'
import { figureOf } from '@unikv/core/adapter'
import type { Connections } from './client/connections.ts'

/** Figures that every user may see, by name: their columns. */
const columns = {
  version: "current_setting('server_version')",
  uptimeMs: 'round(extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)',
  connections: '(SELECT sum(numbackends) FROM pg_stat_database)',
  maxConnections: "current_setting('max_connections')",
  storedBytes: 'pg_total_relation_size(r.oid)',
  // -1: it was never analyzed.
  records: 'CASE WHEN r.reltuples < 0 THEN NULL ELSE r.reltuples::int8 END',
  cacheHits: 'd.blks_hit',
  cacheMisses: 'd.blks_read',
  operations: 'd.xact_commit + d.xact_rollback',
} satisfies { readonly [name in keyof ServerStatistics]?: string }

const text = `SELECT ${Object.values(columns)
  .map((column) => `(${column})::text`)
  .join(', ')}
  FROM pg_stat_database d, pg_class r WHERE d.datname = current_database() AND r.oid = $1::regclass`

/** Figures of `pg_stat_database`, and the size of the table with its indexes. */
export async function statistics(
  connections: Connections,
  table: string,
  call: CallOptions,
): Promise<ServerStatistics> {
  const [row = []] = await connections.execute({ text }, [table], call, false)
  const figures = Object.keys(columns).map((name, i) => [
    name,
    name === 'version' ? (row[i] ?? undefined) : figureOf(row[i]),
  ])
  return { ...(Object.fromEntries(figures) as ServerStatistics), scope: 'dataset' }
}
