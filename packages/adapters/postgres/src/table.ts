import type { DeclaredIndex } from '@unikv/core/adapter'
import { checkDurability, type Marker, openSqlTable } from '@unikv/core/sql-client'
import type { PostgresDurability } from './capabilities.ts'
import type { Parameter } from './client/bind-message.ts'
import type { Row } from './client/postgres-client.ts'
import type { Sql } from './statements.ts'

/** The required properties of the table. */
export interface TableOptions {
  readonly table: string
  readonly schema: string | undefined
  readonly documents: boolean
  /** Make it where it is missing. */
  readonly prepare: boolean
  readonly durability: PostgresDurability
  readonly indexes: readonly DeclaredIndex[]
}

/** Executes one statement. */
export type Run = (sql: Sql, values: readonly Parameter[]) => Promise<readonly Row[]>

/** The table, quoted, with its schema if one was named. */
export function quotedTable({ schema, table }: TableOptions): string {
  return schema === undefined ? `"${table}"` : `"${schema}"."${table}"`
}

/**
 * Look at the server and the table, and make the table if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if it is missing, `INVALID_CONFIG` if it is not ours or the server promises
 *   less than `durability`
 */
export async function openTable(run: Run, options: TableOptions): Promise<void> {
  const { prepare, durability } = options
  const name = quotedTable(options)
  const look = () => lookAt(run, options)
  const make = () => run({ text: createTable(options) }, [])
  const marker = markerOf(options)
  const found = await openSqlTable({ name, marker, prepare, maker: 'preparePostgres', look, make })
  checkDurability(found.durability, durability, durabilityHint)
}

const durabilityHint = 'See synchronous_commit and fsync, and whether the table is unlogged.'

/** The server and the table as they are. */
export interface Found {
  /** Comment of the table; `undefined`: it is missing. */
  readonly marker: string | null | undefined
  readonly durability: PostgresDurability
}

const lookSql = `SELECT named.oid IS NOT NULL, obj_description(named.oid, 'pg_class'),
    (SELECT relpersistence = 'p' FROM pg_class WHERE pg_class.oid = named.oid),
    current_setting('synchronous_commit'), current_setting('fsync')
  FROM (SELECT to_regclass($1)::oid AS oid) AS named`

/** Look at the server and a table. */
export async function lookAt(run: Run, options: TableOptions): Promise<Found> {
  const [row = []] = await run({ text: lookSql }, [quotedTable(options)])
  const [exists, marker = null, isLogged = null, commit = null, fsync = null] = row
  return {
    marker: exists === 't' ? marker : undefined,
    durability: durabilityOf(isLogged, commit, fsync),
  }
}

/** The comment by which a table is known as ours. */
function markerOf({ documents }: TableOptions): Marker {
  return documents ? 'unikv 1 document' : 'unikv 1 bytes'
}

/** All of it or nothing. Where another process is quicker, its table is looked at. */
function createTable(options: TableOptions): string {
  const name = quotedTable(options)
  const value = options.documents ? 'JSONB' : 'BYTEA'
  return `DO $$ BEGIN
    CREATE TABLE ${name} (
      k BYTEA PRIMARY KEY,
      version BYTEA NOT NULL,
      expires_at BIGINT,
      value ${value} NOT NULL
    );
    CREATE INDEX ON ${name} (expires_at) WHERE expires_at IS NOT NULL;
    COMMENT ON TABLE ${name} IS '${markerOf(options)}';
  EXCEPTION WHEN duplicate_table OR duplicate_object OR unique_violation THEN NULL;
  END $$`
}

/**
 * Without `synchronous_commit` a commit is acknowledged before the server has written it anywhere:
 * https://www.postgresql.org/docs/current/wal-async-commit.html
 */
function durabilityOf(isLogged: Row[number], commit: Row[number], fsync: Row[number]): PostgresDurability {
  if (isLogged === 'f' || commit === 'off') return 'memory'
  return fsync === 'on' ? 'flushed' : 'buffered'
}
