import { StoreError } from '@unikv/core/adapter'
import type { SqliteDatabase, SqliteStatement } from '../file/sqlite-client.ts'

/*
 * Groups are two tables beside that of the dataset, with names that no dataset can have: `<table>.groups` has the head of each
 * group, and `<table>.group_records` its records, each with the number of the commit that wrote it.
 */

/** The statements over the tables of groups. */
export interface GroupStatements {
  /** group: birth, commits, time of the last commit. */
  readonly head: SqliteStatement
  /** group, key: number, value. */
  readonly record: SqliteStatement
  /** group, first key, how many (-1: all): key, number, value. */
  readonly rowsFrom: SqliteStatement
  /** group, first key, end, how many: key, number, value. */
  readonly rowsBetween: SqliteStatement
  /** first group, group before it (empty: none), how many: group. */
  readonly names: SqliteStatement
  /** group, birth, commits, time. */
  readonly putHead: SqliteStatement
  /** group, key, number, value. */
  readonly put: SqliteStatement
  /** group, key. */
  readonly remove: SqliteStatement
  /** group. */
  readonly removeHead: SqliteStatement
}

/** Whether the tables of groups are there. */
export function hasGroups(database: SqliteDatabase, table: string): boolean {
  const select = database.prepare('SELECT sql FROM sqlite_master WHERE name = ?').raw()
  const row = select.get([`${table}.group_records`]) as readonly [string] | undefined
  if (row === undefined) return false
  if (row[0].includes('/* unikv 1 groups */')) return true
  throw new StoreError(
    'INVALID_CONFIG',
    `The table ${table}.group_records was not created by unikv. Name another table for this dataset.`,
  )
}

/** Makes the tables, inside of a transaction. */
export function makeGroups(database: SqliteDatabase, table: string): void {
  database.exec(`CREATE TABLE IF NOT EXISTS "${table}.groups" (
  grp BLOB NOT NULL PRIMARY KEY,
  birth TEXT NOT NULL,
  commits INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`)
  database.exec(`CREATE TABLE IF NOT EXISTS "${table}.group_records" (
  /* unikv 1 groups */
  grp BLOB NOT NULL,
  k BLOB NOT NULL,
  number INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (grp, k)
) STRICT, WITHOUT ROWID`)
}

/** Prepares the statements; the tables are there. */
export function groupStatements(database: SqliteDatabase, table: string): GroupStatements {
  const heads = `"${table}.groups"`
  const records = `"${table}.group_records"`
  const ask = (sql: string): SqliteStatement => database.prepare(sql).raw()
  const rows = (range: string): SqliteStatement =>
    ask(`SELECT k, number, value FROM ${records} WHERE grp = ? AND ${range} ORDER BY k LIMIT ?`)
  return {
    head: ask(`SELECT birth, commits, changed_at FROM ${heads} WHERE grp = ?`),
    record: ask(`SELECT number, value FROM ${records} WHERE grp = ? AND k = ?`),
    rowsFrom: rows('k >= ?'),
    rowsBetween: rows('k >= ? AND k < ?'),
    names: ask(`SELECT grp FROM ${heads} WHERE grp >= ? AND grp > ? ORDER BY grp LIMIT ?`),
    putHead: database.prepare(
      `INSERT INTO ${heads} (grp, birth, commits, changed_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (grp) DO UPDATE SET birth = excluded.birth, commits = excluded.commits, changed_at = excluded.changed_at`,
    ),
    put: database.prepare(
      `INSERT INTO ${records} (grp, k, number, value) VALUES (?, ?, ?, ?)
      ON CONFLICT (grp, k) DO UPDATE SET number = excluded.number, value = excluded.value`,
    ),
    remove: database.prepare(`DELETE FROM ${records} WHERE grp = ? AND k = ?`),
    removeHead: database.prepare(`DELETE FROM ${heads} WHERE grp = ?`),
  }
}
