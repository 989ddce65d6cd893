import type { Client, NativePlace } from './native-client.ts'

/** The methods of cassandra-driver in use. */
interface Driver {
  execute(query: string, values?: readonly unknown[], options?: object): Promise<unknown>
}

/** Prepared, and at the level that unikv has unless it is told otherwise: a quorum. */
const options = { prepare: true, consistency: 4 }

/** A table of keys and values. */
export async function cassandra(native: unknown, { name, database = 'unikv' }: NativePlace): Promise<Client> {
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
