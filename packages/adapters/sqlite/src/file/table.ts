import { type DeclaredIndex, invalidConfig, noIndex, StoreError } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { isBusy } from '../errors.ts'
import { createIndex } from '../find/fields.ts'
import type { FileSettings } from '../options.ts'
import { prepareFile, readOnlyUrl } from './database-file.ts'
import { isKnown } from './file-identity.ts'
import { openDatabase, type SqliteDatabase } from './sqlite-client.ts'

/** Pages of the log, before they go into the file (decision 0028). */
const checkpointPages = 2_000

/** Between two attempts to do what does not wait for a lock by itself. */
const pauseMs = 10

/**
 * Open the file. Nothing is read yet.
 *
 * @throws {StoreError} those of the file; errors of `libsql`
 */
export function openFile({ path, prepare, readOnly, busyTimeoutMs, identity }: FileSettings): SqliteDatabase {
  if (readOnly) return openDatabase(readOnlyUrl(path), busyTimeoutMs)
  // A file that was open once is not made again.
  return openDatabase(prepareFile(path, prepare && !isKnown(identity)), busyTimeoutMs)
}

/**
 * Make the settings of a connection, and look at the table, or make it.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a table that is not ours or has other values, `NOT_PREPARED`; errors of `libsql`
 */
export function prepareTable(database: SqliteDatabase, settings: FileSettings): void {
  if (settings.readOnly) return lookAtTable(database, settings)
  const { busyTimeoutMs, durability, maxBytes, prepare } = settings
  // The file of another program keeps its journal.
  if (!prepare) patiently(busyTimeoutMs, () => lookAtTable(database, settings))
  // A change of the journal does not wait for others that do the same.
  patiently(busyTimeoutMs, () => database.exec('PRAGMA journal_mode = WAL'))
  database.exec(`PRAGMA synchronous = ${durability === 'flushed' ? 'FULL' : 'NORMAL'}`)
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  if (maxBytes !== Number.POSITIVE_INFINITY)
    database.exec(`PRAGMA max_page_count = ${pagesOf(database, maxBytes)}`)
  patiently(busyTimeoutMs, () => lookAtTable(database, settings))
}

function lookAtTable(database: SqliteDatabase, { table, documents, indexes, prepare }: FileSettings): void {
  let found = definitionOf(database, table)
  if (found === undefined) {
    if (!prepare) throw new StoreError('NOT_PREPARED', `There is no table ${table}. ${remedy}`)
    inOneStep(database, [tableDefinition(table, documents), indexDefinition(table)])
    found = definitionOf(database, table)
  }
  const made = /\/\* unikv 1 (bytes|document) \*\//.exec(found ?? '')?.[1]
  if (made === undefined) throw invalidConfig('The table was not created by unikv. Name another table.')
  if ((made === 'document') !== documents)
    throw invalidConfig(`The table was created with values: '${made}'.`)
  const missing = indexes.filter(({ name }) => definitionOf(database, name) === undefined)
  if (missing.length > 0 && !prepare) throw noIndex(missing[0] as DeclaredIndex, remedy)
  if (missing.length > 0)
    inOneStep(
      database,
      missing.map((index) => createIndex(table, index)),
    )
}

const remedy = 'Leave out prepare: false and readOnly to create it.'

function inOneStep(database: SqliteDatabase, statements: readonly string[]): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec([...statements, 'COMMIT'].join('; '))
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** The comment tells tables that are ours; SQLite keeps the text of the statement. */
function tableDefinition(table: string, documents: boolean): string {
  return `CREATE TABLE IF NOT EXISTS "${table}" (
  /* unikv 1 ${documents ? 'document' : 'bytes'} */
  k BLOB NOT NULL PRIMARY KEY,
  version BLOB NOT NULL,
  expires_at INTEGER,
  value ${documents ? 'TEXT' : 'BLOB'} NOT NULL
) STRICT`
}

function indexDefinition(table: string): string {
  return `CREATE INDEX IF NOT EXISTS "${table}_expires_at" ON "${table}" (expires_at) WHERE expires_at IS NOT NULL`
}

function definitionOf(database: SqliteDatabase, table: string): string | undefined {
  const select = database.prepare('SELECT sql FROM sqlite_master WHERE name = ?').raw()
  return (select.get([table]) as readonly [string] | undefined)?.[0]
}

function pagesOf(database: SqliteDatabase, bytes: number): number {
  const [size] = database.prepare('PRAGMA page_size').raw().get([]) as readonly [number]
  return Math.max(1, Math.floor(bytes / size))
}

function patiently(timeoutMs: number, run: () => void): void {
  const giveUpAt = performance.now() + timeoutMs
  for (;;) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}
