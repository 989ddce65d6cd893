import type { Client, NativePlace } from './native-client.ts'
import { postgres } from './postgres.ts'

/** The methods of the driver in use. */
interface Native {
  client(): Promise<{ db(name: string): { collection(name: string, options?: object): Collection } }>
}

interface Collection {
  insertOne(record: object): Promise<unknown>
  updateOne(filter: object, change: object): Promise<unknown>
  findOne(filter: object): Promise<unknown>
  deleteOne(filter: object): Promise<unknown>
  drop(): Promise<unknown>
}

/** The concerns that unikv has unless it is told otherwise, so that both wait for the same. */
const concerns = { writeConcern: { w: 'majority', journal: true }, readConcern: { level: 'majority' } }

/** A collection of keys and values. */
async function mongodb(native: unknown, { name, database = 'unikv' }: NativePlace): Promise<Client> {
  const client = await (native as Native).client()
  const records = client.db(database).collection(name, concerns)
  return {
    insert: (_id, value) => records.insertOne({ _id, value }),
    update: (_id, value) => records.updateOne({ _id }, { $set: { value } }),
    read: (_id) => records.findOne({ _id }),
    delete: (_id) => records.deleteOne({ _id }),
    remove: () => records.drop(),
  }
}

/** The methods of cassandra-driver in use. */
interface Driver {
  execute(query: string, values?: readonly unknown[], options?: object): Promise<unknown>
}

/** Prepared, and at the level that unikv has unless it is told otherwise: a quorum. */
const options = { prepare: true, consistency: 4 }

/** A table of keys and values. */
async function cassandra(native: unknown, { name, database = 'unikv' }: NativePlace): Promise<Client> {
  const driver = native as Driver
  const table = `${database}.${name}`
  await driver.execute(`CREATE TABLE IF NOT EXISTS ${table} (k text PRIMARY KEY, value blob)`)
  const set = (key: string, value: Uint8Array): Promise<unknown> =>
    driver.execute(`INSERT INTO ${table} (k, value) VALUES (?, ?)`, [key, value], options)
  return {
    insert: set,
    update: set,
    read: (key) => driver.execute(`SELECT value FROM ${table} WHERE k = ?`, [key], options),
    delete: (key) => driver.execute(`DELETE FROM ${table} WHERE k = ?`, [key], options),
    remove: () => driver.execute(`DROP TABLE IF EXISTS ${table}`),
  }
}

type Opener = (native: unknown, place: NativePlace) => Promise<Client>

const bySchemes: readonly (readonly [schemes: readonly string[], open: Opener])[] = [
  [['redis', 'rediss', 'valkey', 'redis+unix'], redis],
  [['postgres', 'postgresql'], postgres],
  [['mysql', 'mariadb'], mysql],
  [['mongodb', 'mongodb+srv'], mongodb],
  [['cassandra'], cassandra],
]

/** Stores for which there are statements of the native client, by the first scheme of their URLs. */
export const nativeStores: readonly string[] = bySchemes.map(([[scheme = '']]) => scheme)

/** The statements of the native client of a store, by its URL; `undefined`: there are none. */
export function nativeOf(url: string): Opener | undefined {
  const scheme = url.slice(0, url.indexOf(':'))
  return bySchemes.find(([schemes]) => schemes.includes(scheme))?.[1]
}

/** The database that a URL names. */
export function databaseOf(url: string): string | undefined {
  const [, path] = /^[^:]+:\/\/[^/?#]*\/([^?#]+)/.exec(url) ?? []
  return path
}

/** The methods of ioredis in use. */
interface Redis {
  set(key: string, value: Buffer): Promise<unknown>
  getBuffer(key: string): Promise<unknown>
  del(keys: string[]): Promise<unknown>
  scan(cursor: string, ...options: string[]): Promise<[string, string[]]>
}

/** Values under their keys: `SET`, `GET` and `DEL`. */
async function redis(native: unknown, { name }: NativePlace): Promise<Client> {
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

/** The methods of mysql2 in use. */
interface Pool {
  execute(sql: string, values?: readonly unknown[]): Promise<readonly [unknown, unknown]>
}

/** A table of keys and values, by prepared statements. */
async function mysql(native: unknown, { name }: NativePlace): Promise<Client> {
  const pool = native as Pool
  await pool.execute(
    `CREATE TABLE IF NOT EXISTS ${name} (k VARBINARY(255) PRIMARY KEY, value LONGBLOB NOT NULL) ENGINE = InnoDB`,
  )
  return {
    insert: (key, value) => pool.execute(`INSERT INTO ${name} VALUES (?, ?)`, [key, value]),
    update: (key, value) => pool.execute(`UPDATE ${name} SET value = ? WHERE k = ?`, [value, key]),
    read: (key) => pool.execute(`SELECT value FROM ${name} WHERE k = ?`, [key]),
    delete: (key) => pool.execute(`DELETE FROM ${name} WHERE k = ?`, [key]),
    remove: () => pool.execute(`DROP TABLE IF EXISTS ${name}`),
  }
}
