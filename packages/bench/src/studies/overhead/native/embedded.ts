import { mkdir, open, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Client, NativePlace } from './native-client.ts'

/** The methods of libsql in use. */
interface Sqlite {
  exec(sql: string): void
  prepare(sql: string): Statement
}

interface Statement {
  run(parameters: readonly unknown[]): unknown
  get(parameters: readonly unknown[]): unknown
}

/** A table of keys and values, by prepared statements in the caller's thread. */
export async function sqlite(native: unknown, { name }: NativePlace): Promise<Client> {
  const database = native as Sqlite
  database.exec(`CREATE TABLE IF NOT EXISTS ${name} (k TEXT PRIMARY KEY, value BLOB NOT NULL)`)
  const insert = database.prepare(`INSERT INTO ${name} VALUES (?, ?)`)
  const update = database.prepare(`UPDATE ${name} SET value = ? WHERE k = ?`)
  const read = database.prepare(`SELECT value FROM ${name} WHERE k = ?`)
  const remove = database.prepare(`DELETE FROM ${name} WHERE k = ?`)
  return {
    insert: async (key, value) => insert.run([key, value]),
    update: async (key, value) => update.run([value, key]),
    read: async (key) => read.get([key]),
    delete: async (key) => remove.run([key]),
    remove: async () => database.exec(`DROP TABLE IF EXISTS ${name}`),
  }
}

/** The methods of lmdb-js in use. */
interface Lmdb {
  openDB(name: string, options: object): Lmdb
  getBinary(key: string): unknown
  put(key: string, value: Uint8Array): Promise<unknown>
  remove(key: string): Promise<unknown>
  drop(): Promise<unknown>
}

/** A database of its own in the same environment. */
export async function lmdb(native: unknown, { name }: NativePlace): Promise<Client> {
  const records = (native as Lmdb).openDB(name, { encoding: 'binary' })
  const put = (key: string, value: Uint8Array): Promise<unknown> => records.put(key, value)
  return {
    insert: put,
    update: put,
    read: async (key) => records.getBinary(key),
    delete: (key) => records.remove(key),
    remove: () => records.drop(),
  }
}

/** A file for each record in a folder beside that of the store. A new one is written beside the old, and takes its place. */
export async function file(native: unknown, { name, flushed }: NativePlace): Promise<Client> {
  const folder = join(dirname((native as { readonly folder: string }).folder), name)
  await mkdir(folder, { recursive: true })
  const place = (key: string): string => join(folder, encodeURIComponent(key))
  const flushNames = (): Promise<void> => (flushed ? flushFolder(folder) : Promise.resolve())
  let written = 0
  const set = async (key: string, value: Uint8Array): Promise<void> => {
    const temporary = join(folder, `+${process.pid}-${written++}`)
    await writeFile(temporary, value, { flush: flushed })
    await rename(temporary, place(key))
    await flushNames()
  }
  return {
    insert: set,
    update: set,
    read: (key) => readFile(place(key)),
    async delete(key) {
      await unlink(place(key))
      await flushNames()
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Put the names in a folder on the disk. Windows cannot open folders; NTFS keeps names in its journal. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  await folder.sync()
  await folder.close()
}
