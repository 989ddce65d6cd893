import { cassandraOptions } from '../../../ehr/native/sql.ts'
import type { Client, NativePlace } from './native-client.ts'

/** The methods of mysql2 in use. */
interface MysqlPool {
  execute(sql: string, values?: readonly unknown[]): Promise<readonly [unknown, unknown]>
}

/** A table of keys and values, by prepared statements. */
export async function mysql(native: unknown, { name }: NativePlace): Promise<Client> {
  const pool = native as MysqlPool
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

/** The methods of cassandra-driver in use. */
interface Driver {
  execute(query: string, values?: readonly unknown[], options?: object): Promise<unknown>
}

/** A table of keys and values. */
export async function cassandra(native: unknown, { name, database = 'unikv' }: NativePlace): Promise<Client> {
  const driver = native as Driver
  const table = `${database}.${name}`
  await driver.execute(`CREATE TABLE IF NOT EXISTS ${table} (k text PRIMARY KEY, value blob)`)
  const set = (key: string, value: Uint8Array): Promise<unknown> =>
    driver.execute(`INSERT INTO ${table} (k, value) VALUES (?, ?)`, [key, value], cassandraOptions)
  return {
    insert: set,
    update: set,
    read: (key) => driver.execute(`SELECT value FROM ${table} WHERE k = ?`, [key], cassandraOptions),
    delete: (key) => driver.execute(`DELETE FROM ${table} WHERE k = ?`, [key], cassandraOptions),
    remove: () => driver.execute(`DROP TABLE IF EXISTS ${table}`),
  }
}

/** The methods of pg in use. */
interface Pool {
  connect(): Promise<Connection>
}

interface Connection {
  query(
    statement: string | { readonly name: string; readonly text: string; readonly values: readonly unknown[] },
  ): Promise<{
    readonly rows: readonly unknown[]
  }>
  release(): void
}

const mostConnections = 8

/** A table of keys and values, by named prepared statements. */
export async function postgres(native: unknown, { name, callers }: NativePlace): Promise<Client> {
  const count = Math.max(Math.min(callers, mostConnections), 2)
  const connections = await Promise.all(Array.from({ length: count }, () => (native as Pool).connect()))
  const [first] = connections as [Connection]
  await first.query(
    `CREATE TABLE IF NOT EXISTS ${name} (k text COLLATE "C" PRIMARY KEY, value bytea NOT NULL)`,
  )
  const free = new FreeConnections(connections)
  const run = (statement: string, text: string, values: readonly unknown[]): Promise<unknown> =>
    free.with(
      async (connection) => (await connection.query({ name: `${name}_${statement}`, text, values })).rows[0],
    )
  return {
    insert: (key, value) => run('insert', `INSERT INTO ${name} VALUES ($1, $2)`, [key, value]),
    update: (key, value) => run('update', `UPDATE ${name} SET value = $2 WHERE k = $1`, [key, value]),
    read: (key) => run('read', `SELECT value FROM ${name} WHERE k = $1`, [key]),
    delete: (key) => run('delete', `DELETE FROM ${name} WHERE k = $1`, [key]),
    async remove() {
      await first.query(`DROP TABLE IF EXISTS ${name}`)
      for (const connection of connections) connection.release()
    },
  }
}

/** Gives each query a connection of its own: pg takes one query at a time. */
class FreeConnections {
  readonly #free: Connection[]
  readonly #waiting: ((connection: Connection) => void)[] = []

  constructor(connections: readonly Connection[]) {
    this.#free = [...connections]
  }

  async with<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection =
      this.#free.pop() ?? (await new Promise<Connection>((resolve) => this.#waiting.push(resolve)))
    try {
      return await work(connection)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free.push(connection)
      else next(connection)
    }
  }
}
