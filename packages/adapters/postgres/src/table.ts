import { type ErrorCode, StoreError } from '@unikv/core'
import type { DeclaredIndex } from '@unikv/core/adapter'
import type { Parameter } from './client/bind-message.ts'
import type { Row } from './client/postgres-client.ts'
import type { Sql } from './statements.ts'

/** Longest key in bytes. An index takes entries of up to 2,704 bytes. */
export const maxKeyBytes = 2_000

/** The failure that an acknowledged write survives, by the server's own settings. */
export type PostgresDurability = 'memory' | 'buffered' | 'flushed'

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
  let found = await look(run, options)
  if (!found.exists && options.prepare) {
    await run({ text: createTable(options) }, [])
    found = await look(run, options)
  }
  checkMarker(found, options)
  checkDurability(found, options.durability)
}

/** The server and the table as they are. */
export interface Found {
  readonly exists: boolean
  /** Comment of the table. */
  readonly marker: string | null
  readonly durability: PostgresDurability
}

const lookSql = `SELECT named.oid IS NOT NULL, obj_description(named.oid, 'pg_class'),
    (SELECT relpersistence = 'p' FROM pg_class WHERE pg_class.oid = named.oid),
    current_setting('synchronous_commit'), current_setting('fsync')
  FROM (SELECT to_regclass($1)::oid AS oid) AS named`

/** Look at the server and a table. */
export async function look(run: Run, options: TableOptions): Promise<Found> {
  const [row = []] = await run({ text: lookSql }, [quotedTable(options)])
  const [exists, marker = null, isLogged = null, commit = null, fsync = null] = row
  return { exists: exists === 't', marker, durability: durabilityOf(isLogged, commit, fsync) }
}

/** The comment by which a table is known as ours. */
function markerOf({ documents }: TableOptions): string {
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

function checkMarker({ exists, marker }: Found, options: TableOptions): void {
  if (exists && marker === markerOf(options)) return
  const name = quotedTable(options)
  if (!exists) {
    const remedy = 'Call preparePostgres with these options once, or set prepare: true.'
    throw problem('NOT_PREPARED', `There is no table ${name}. ${remedy}`)
  }
  const isOfOtherValues = marker?.startsWith('unikv 1 ') === true
  const why = isOfOtherValues ? 'holds values of another kind (option "values")' : 'was not created by unikv'
  throw problem('INVALID_CONFIG', `The table ${name} ${why}. Name another table.`)
}

function checkDurability({ durability }: Found, wanted: PostgresDurability): void {
  if (levels.indexOf(durability) >= levels.indexOf(wanted)) return
  const hint = 'See synchronous_commit and fsync, and whether the table is unlogged.'
  throw problem(
    'INVALID_CONFIG',
    `The server cannot give durability '${wanted}', only '${durability}'. ${hint}`,
  )
}

const levels: readonly PostgresDurability[] = ['memory', 'buffered', 'flushed']

/**
 * Without `synchronous_commit` a commit is acknowledged before the server has written it anywhere:
 * https://www.postgresql.org/docs/current/wal-async-commit.html
 */
function durabilityOf(isLogged: Row[number], commit: Row[number], fsync: Row[number]): PostgresDurability {
  if (isLogged === 'f' || commit === 'off') return 'memory'
  return fsync === 'on' ? 'flushed' : 'buffered'
}

function problem(code: ErrorCode, message: string): StoreError {
  return new StoreError(code, message)
}
