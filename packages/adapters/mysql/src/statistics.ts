import type { CallOptions, ServerStatistics } from '@unikv/core'
import { figureOf } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import type { Connections } from './client/connections.ts'

/** One of both, or what `information_schema` tells of the table. */
type Row = Readonly<Record<string, unknown>>

const status = [
  'Uptime',
  'Threads_connected',
  'Questions',
  'Bytes_received',
  'Bytes_sent',
  'Innodb_buffer_pool_read_requests',
  'Innodb_buffer_pool_reads',
]
const variables = ['version', 'max_connections']
const sizeSql = `SELECT DATA_LENGTH + INDEX_LENGTH AS stored, TABLE_ROWS AS records FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?`

/**
 * Figures of SHOW GLOBAL STATUS, which every user may see, and the size of the table. MySQL 8 looks at sizes once a day by default
 * (`information_schema_stats_expiry`).
 */
export async function statistics(
  connections: Connections,
  table: string,
  call: CallOptions,
): Promise<ServerStatistics> {
  const rows = (sql: string, values: readonly string[] = []): Promise<readonly Row[]> =>
    connections.execute<readonly Row[]>(sql, values, call, false)
  const named = (kind: string, names: readonly string[]): Promise<readonly Row[]> =>
    rows(`SHOW GLOBAL ${kind} WHERE Variable_name IN (${names.map((name) => `'${name}'`).join(', ')})`)
  const [told, set, [size]] = await Promise.all([
    named('STATUS', status),
    named('VARIABLES', variables),
    rows(sizeSql, [table]),
  ])
  const values = new Map([...told, ...set].map((row) => [textOf(row['Variable_name']), textOf(row['Value'])]))
  const figure = (name: string): number | undefined => figureOf(values.get(name))
  const uptime = figure('Uptime')
  const asked = figure('Innodb_buffer_pool_read_requests')
  const cacheMisses = figure('Innodb_buffer_pool_reads')
  return {
    version: values.get('version'),
    uptimeMs: uptime === undefined ? undefined : uptime * 1000,
    connections: figure('Threads_connected'),
    maxConnections: figure('max_connections'),
    storedBytes: figureOf(textOf(size?.['stored'])),
    records: figureOf(textOf(size?.['records'])),
    scope: 'dataset',
    cacheHits:
      asked === undefined || cacheMisses === undefined ? undefined : Math.max(0, asked - cacheMisses),
    cacheMisses,
    operations: figure('Questions'),
    receivedBytes: figure('Bytes_received'),
    sentBytes: figure('Bytes_sent'),
  }
}

/** Drivers give text, numbers or bytes. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || value === undefined || value === null) return value ?? undefined
  return isBytes(value) ? Buffer.from(value).toString() : Number(value).toString()
}
