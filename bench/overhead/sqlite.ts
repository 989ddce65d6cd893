import { createRequire } from 'node:module'
import { join } from 'node:path'
import { keyValue, newVersion } from '@unikv/core'
import { sqlite } from '@unikv/sqlite'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { inFolder } from './folder.ts'

interface NativeStatement {
  raw(): NativeStatement
  run(parameters: readonly unknown[]): unknown
  get(parameters: readonly unknown[]): unknown
}

interface NativeSqlite {
  exec(sql: string): void
  prepare(sql: string): NativeStatement
  close(): void
}

/** The same durability, and a table of the same columns. */
function openNative(path: string): NativeSqlite {
  const Database = createRequire(import.meta.url)('libsql') as new (path: string) => NativeSqlite
  const database = new Database(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(`CREATE TABLE native (
    k BLOB NOT NULL PRIMARY KEY, version BLOB NOT NULL, expires_at INTEGER, value BLOB NOT NULL)`)
  database.exec('CREATE INDEX native_expires_at ON native (expires_at) WHERE expires_at IS NOT NULL')
  return database
}

/** libsql in the caller's thread: the like of `threads: 0`. */
export const overSqlite: Entrants = {
  unikv: () =>
    inFolder(async (folder) => ofKeyValue(keyValue(sqlite({ path: join(folder, 'unikv.db'), threads: 0 })))),
  native: () => inFolder(nativeSqlite),
}

async function nativeSqlite(folder: string): Promise<Client> {
  const database = openNative(join(folder, 'native.db'))
  const select = database
    .prepare(`SELECT version, expires_at, value FROM native
    WHERE k = ? AND (expires_at IS NULL OR expires_at > ?)`)
    .raw()
  const remove = database.prepare('DELETE FROM native WHERE k = ?')
  const upsert = database.prepare(`INSERT INTO native VALUES (?, ?, ?, ?) ON CONFLICT (k) DO UPDATE
    SET version = excluded.version, expires_at = excluded.expires_at, value = excluded.value`)
  const find = (key: string): unknown => select.get([Buffer.from(key), Date.now()])
  const put = (key: string, value: Buffer): unknown =>
    upsert.run([Buffer.from(key), Buffer.from(newVersion(), 'hex'), null, value])
  return {
    insert: async (key: string, value: Buffer) => put(key, value),
    read: async (key: string) => find(key),
    delete: async (key: string) => remove.run([Buffer.from(key)]),
    // Of one snapshot, as unikv's.
    readMany: async (keys: readonly string[]) => {
      database.exec('BEGIN')
      const found = keys.map(find)
      database.exec('COMMIT')
      return found
    },
    insertMany: async (entries: readonly (readonly [string, Buffer])[]) => {
      database.exec('BEGIN IMMEDIATE')
      for (const [key, value] of entries) put(key, value)
      database.exec('COMMIT')
    },
    close: async () => database.close(),
  }
}
