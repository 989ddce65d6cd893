import { StoreError } from '@unikv/core'
import type { DeclaredIndex } from '@unikv/core/adapter'
import { checkDurability, type Marker, openSqlTable } from '@unikv/core/sql-client'
import { type MysqlDurability, maxKeyBytes } from './capabilities.ts'
import type { Parameter } from './client/mysql-client.ts'

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
  const { table: name, prepare, durability } = options
  const look = async (): Promise<Found> => {
    const found = await lookAt(run, name)
    checkAutocommit(found)
    checkDurability(durabilityOf(found), durability, durabilityHint)
    return found
  }
  const make = () => run(createTable(options), [])
  const marker = markerOf(options)
  const found = await openSqlTable({ name, marker, prepare, maker: 'prepareMysql', look, make })
  return Number(found.packetBytes)
}

const durabilityHint = 'See innodb_flush_log_at_trx_commit and, with a binary log, sync_binlog.'

/** The server and the table as they are. */
export interface Found {
  readonly packetBytes: number | string
  readonly flush: number | string
  readonly binaryLog: number | string
  readonly syncBinaryLog: number | string
  readonly databaseName: string | null
  readonly autocommit: number | string
  /** Comment of the table; `undefined` if it is missing. */
  readonly marker: string | undefined
}

const lookSql = `SELECT @@max_allowed_packet AS packetBytes, @@innodb_flush_log_at_trx_commit AS flush,
  @@log_bin AS binaryLog, @@sync_binlog AS syncBinaryLog, DATABASE() AS databaseName,
  @@autocommit AS autocommit,
  (SELECT table_comment FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?) AS marker`

/** Look at the server and a table. */
export async function lookAt(run: Run, table: string): Promise<Found> {
  const [found] = await run<readonly (Found & { readonly marker: string | null | undefined })[]>(lookSql, [
    table,
  ])
  if (found !== undefined && found.databaseName !== null)
    return { ...found, marker: found.marker ?? undefined }
  throw new StoreError(
    'INVALID_CONFIG',
    'The connection names no database. Add it to the URL: mysql://user@host/database',
  )
}

/** The comment by which a table is known as ours. */
function markerOf({ documents }: TableOptions): Marker {
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

/** For a pool that was handed in: connections of our own set it. */
function checkAutocommit({ autocommit }: Found): void {
  if (Number(autocommit) !== 0) return
  throw new StoreError(
    'INVALID_CONFIG',
    'The connections of the pool have autocommit off, so writes would be lost. Run SET autocommit = 1 on each, or give a url.',
  )
}

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
