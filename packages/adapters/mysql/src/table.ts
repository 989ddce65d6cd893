import { StoreError } from '@unikv/core'
import type { DeclaredIndex } from '@unikv/core/adapter'
import type { Parameter } from './client/mysql-client.ts'

/**
 * Longest key in bytes. InnoDB indexes up to 3,072, but a server fills a buffer of the declared length for each key of
 * a list: with 3,072 it works a sixth longer on a record of a batch.
 */
export const maxKeyBytes = 1_024

/** The failure that an acknowledged write survives, by the server's own settings. */
export type MysqlDurability = 'memory' | 'buffered' | 'flushed'

/** The required properties of the table. */
export interface TableOptions {
  readonly table: string
  readonly documents: boolean
  /** Make it where it is missing. */
  readonly prepare: boolean
  readonly durability: MysqlDurability
  readonly indexes: readonly DeclaredIndex[]
}

/** Executes one statement. */
export type Run = <R>(sql: string, values: readonly Parameter[]) => Promise<R>

/**
 * Look at the server and the table, and make the table if that was asked for.
 *
 * @returns the largest packet that the server takes, in bytes
 * @throws {StoreError} `NOT_PREPARED` if it is missing, `INVALID_CONFIG` if it is not ours or the server promises
 *   less than `durability`, or would commit nothing
 */
export async function openTable(run: Run, options: TableOptions): Promise<number> {
  let found = await look(run, options.table)
  checkAutocommit(found)
  checkDurability(found, options.durability)
  if (found.marker === null && options.prepare) {
    await run(createTable(options), [])
    found = await look(run, options.table)
  }
  checkMarker(found.marker, options)
  return Number(found.packetBytes)
}

/** The server and the table as they are. */
export interface Found {
  readonly packetBytes: number | string
  readonly flush: number | string
  readonly binaryLog: number | string
  readonly syncBinaryLog: number | string
  readonly databaseName: string | null
  readonly autocommit: number | string
  /** Comment of the table; `null` if it is missing. */
  readonly marker: string | null
}

const lookSql = `SELECT @@max_allowed_packet AS packetBytes, @@innodb_flush_log_at_trx_commit AS flush,
  @@log_bin AS binaryLog, @@sync_binlog AS syncBinaryLog, DATABASE() AS databaseName,
  @@autocommit AS autocommit,
  (SELECT table_comment FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?) AS marker`

/** Look at the server and a table. */
export async function look(run: Run, table: string): Promise<Found> {
  const [found] = await run<readonly Found[]>(lookSql, [table])
  if (found !== undefined && found.databaseName !== null) return found
  throw new StoreError(
    'INVALID_CONFIG',
    'The connection names no database. Add it to the URL: mysql://user@host/database',
  )
}

/** The comment by which a table is known as ours. */
function markerOf({ documents }: TableOptions): string {
  return documents ? 'unikv 1 document' : 'unikv 1 bytes'
}

function createTable(options: TableOptions): string {
  const value = options.documents ? 'JSON' : 'LONGBLOB'
  return `CREATE TABLE IF NOT EXISTS \`${options.table}\` (
    k VARBINARY(${maxKeyBytes}) NOT NULL,
    version BINARY(12) NOT NULL,
    expires_at BIGINT NULL,
    value ${value} NOT NULL,
    PRIMARY KEY (k),
    KEY expires_at (expires_at)
  ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COMMENT = '${markerOf(options)}'`
}

function checkMarker(marker: string | null, options: TableOptions): void {
  if (marker === markerOf(options)) return
  const { table } = options
  if (marker === null) {
    throw new StoreError(
      'NOT_PREPARED',
      `There is no table ${table}. Call prepareMysql with these options once, or set prepare: true.`,
    )
  }
  const why = marker.startsWith('unikv 1 ')
    ? 'holds values of another kind (option "values")'
    : 'was not created by unikv'
  throw new StoreError('INVALID_CONFIG', `The table ${table} ${why}. Name another table.`)
}

/** Of a pool that was handed in: connections of our own set it. */
function checkAutocommit({ autocommit }: Found): void {
  if (Number(autocommit) !== 0) return
  throw new StoreError(
    'INVALID_CONFIG',
    'The connections of the pool have autocommit off, so writes would be lost. Run SET autocommit = 1 on each, or give a url.',
  )
}

function checkDurability(found: Found, wanted: MysqlDurability): void {
  if (levels.indexOf(durabilityOf(found)) >= levels.indexOf(wanted)) return
  const hint = 'See innodb_flush_log_at_trx_commit and, with a binary log, sync_binlog.'
  throw new StoreError(
    'INVALID_CONFIG',
    `The server cannot give durability '${wanted}', only '${durabilityOf(found)}'. ${hint}`,
  )
}

const levels: readonly MysqlDurability[] = ['memory', 'buffered', 'flushed']

/**
 * With a binary log, recovery undoes what is in the engine's log but not in the binary log, so both must be
 * flushed: https://dev.mysql.com/doc/refman/8.0/en/replication-options-binary-log.html#sysvar_sync_binlog
 */
function durabilityOf({ flush, binaryLog, syncBinaryLog }: Found): MysqlDurability {
  if (Number(flush) === 0) return 'memory'
  return Number(flush) === 1 && (Number(binaryLog) === 0 || Number(syncBinaryLog) === 1)
    ? 'flushed'
    : 'buffered'
}
