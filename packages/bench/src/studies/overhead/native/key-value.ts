import { mkdir, open, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Client, longestMs, type NativePlace } from './native-client.ts'

/** The methods of ioredis in use. */
interface Redis {
  set(key: string, value: Buffer): Promise<unknown>
  getBuffer(key: string): Promise<unknown>
  del(keys: string[]): Promise<unknown>
  scan(cursor: string, ...options: string[]): Promise<[string, string[]]>
}

/** Values under their keys: `SET`, `GET` and `DEL`. */
export async function redis(native: unknown, { name }: NativePlace): Promise<Client> {
  const client = native as Redis
  const place = (key: string): string => `${name}:${key}`
  const set = (key: string, value: Uint8Array): Promise<unknown> => client.set(place(key), value as Buffer)
  return {
    insert: set,
    update: set,
    read: (key) => client.getBuffer(place(key)),
    delete: (key) => client.del([place(key)]),
    async remove() {
      let cursor = '0'
      do {
        const [next, keys] = await client.scan(cursor, 'MATCH', `${name}:*`, 'COUNT', '1000')
        if (keys.length > 0) await client.del(keys)
        cursor = next
      } while (cursor !== '0')
    },
  }
}

/** The method of the client of unikv in use: it depends on no other one. */
interface Memcached {
  command(
    command: string,
    options?: object,
  ): Promise<{ readonly status: string; readonly value: Uint8Array | undefined }>
}

/** Values under their keys: `ms`, `mg` and `md`. */
export async function memcached(native: unknown, { name }: NativePlace): Promise<Client> {
  const client = native as Memcached
  const place = (key: string): string => `${name}:${encodeURIComponent(key)}`
  const set = (key: string, data: Uint8Array): Promise<unknown> =>
    client.command(`ms ${place(key)} T${longestMs / 1_000}`, { data })
  return {
    insert: set,
    update: set,
    read: async (key) => (await client.command(`mg ${place(key)} v`)).value,
    delete: (key) => client.command(`md ${place(key)}`),
    // It cannot list its keys: `remembering` removes them.
    remove: async () => {},
  }
}

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
