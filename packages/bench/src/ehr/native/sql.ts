import type { History, Observation } from '../observation.ts'
import type { NativeHistories, NativeTable } from './documents.ts'

type Row = readonly unknown[]

/** An observation as a row: its patient, its time as the driver takes it, its id and itself. */
function rowOf(timeOf: (one: Observation) => unknown): (patient: string, one: Observation) => Row {
  return (patient, one) => [patient, timeOf(one), one.id, JSON.stringify(one)]
}

function rowsOf(histories: readonly History[], row: ReturnType<typeof rowOf>): readonly Row[] {
  return histories.flatMap(([patient, some]) => some.map((one) => row(patient, one)))
}

/** The method of pg in use. */
interface PgPool {
  query(statement: { readonly name?: string; readonly text: string; readonly values?: Row }): Promise<{
    readonly rows: readonly { readonly observation: Observation }[]
  }>
}

/** A table whose primary key begins with patient and time, by named prepared statements. */
export function postgres(native: unknown, { name }: NativeTable): NativeHistories {
  const pool = native as PgPool
  const row = rowOf(({ effectiveDateTime }) => effectiveDateTime)
  return {
    prepare: () =>
      pool.query({
        text: `CREATE TABLE ${name} (patient text COLLATE "C", at timestamptz, id text, observation jsonb NOT NULL, PRIMARY KEY (patient, at, id))`,
      }),
    async load(histories) {
      const rows = rowsOf(histories, row)
      if (rows.length === 0) return
      const columns = [0, 1, 2, 3].map((column) => rows.map((one) => one[column]))
      const text = `INSERT INTO ${name} SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::jsonb[])`
      await pool.query({ name: `${name}_load`, text, values: columns })
    },
    async add(patient, one) {
      const text = `INSERT INTO ${name} VALUES ($1, $2, $3, $4)`
      await pool.query({ name: `${name}_add`, text, values: row(patient, one) })
    },
    async recent(patient, count) {
      const text = `SELECT observation FROM ${name} WHERE patient = $1 ORDER BY at DESC LIMIT $2`
      const { rows } = await pool.query({ name: `${name}_recent`, text, values: [patient, count] })
      return rows.map(({ observation }) => observation)
    },
    remove: () => pool.query({ text: `DROP TABLE IF EXISTS ${name}` }),
  }
}

/** The methods of mysql2 in use. */
interface MysqlPool {
  execute(sql: string, values?: readonly unknown[]): Promise<readonly [unknown, unknown]>
  query(sql: string, values: readonly unknown[]): Promise<unknown>
}

/** A table whose primary key begins with patient and time, by prepared statements. */
export function mysql(native: unknown, { name }: NativeTable): NativeHistories {
  const pool = native as MysqlPool
  const row = rowOf(({ effectiveDateTime }) => Date.parse(effectiveDateTime))
  return {
    prepare: () =>
      pool.execute(
        `CREATE TABLE ${name} (patient VARBINARY(255), at BIGINT, id VARBINARY(64), observation JSON NOT NULL, PRIMARY KEY (patient, at, id)) ENGINE = InnoDB`,
      ),
    async load(histories) {
      const rows = rowsOf(histories, row)
      if (rows.length > 0) await pool.query(`INSERT INTO ${name} VALUES ?`, [rows])
    },
    async add(patient, one) {
      await pool.execute(`INSERT INTO ${name} VALUES (?, ?, ?, ?)`, row(patient, one))
    },
    async recent(patient, count) {
      // A prepared LIMIT is a text for some servers.
      const text = `SELECT observation FROM ${name} WHERE patient = ? ORDER BY at DESC LIMIT ${Math.trunc(count)}`
      const [rows] = await pool.execute(text, [patient])
      return (rows as readonly { readonly observation: unknown }[]).map(({ observation }) =>
        dataIn(observation),
      )
    },
    remove: () => pool.execute(`DROP TABLE IF EXISTS ${name}`),
  }
}

/** MySQL gives JSON as data, MariaDB as text. */
function dataIn(observation: unknown): Observation {
  return (typeof observation === 'string' ? JSON.parse(observation) : observation) as Observation
}

/** The methods of cassandra-driver in use. */
interface Driver {
  execute(
    query: string,
    values?: Row,
    options?: object,
  ): Promise<{ readonly rows: readonly { readonly observation: string }[] }>
}

/** Prepared, and at a quorum: the level that unikv has unless it is told otherwise. */
export const cassandraOptions: object = { prepare: true, consistency: 4 }

/** A partition for each patient, whose rows lie in the order of reading. */
export function cassandra(native: unknown, { name, database }: NativeTable): NativeHistories {
  const driver = native as Driver
  const table = `${database}.${name}`
  const insert = `INSERT INTO ${table} (patient, at, id, observation) VALUES (?, ?, ?, ?)`
  const row = rowOf(({ effectiveDateTime }) => new Date(effectiveDateTime))
  return {
    prepare: () =>
      driver.execute(
        `CREATE TABLE ${table} (patient text, at timestamp, id text, observation text, PRIMARY KEY (patient, at, id)) WITH CLUSTERING ORDER BY (at DESC, id ASC)`,
      ),
    async load(histories) {
      await Promise.all(rowsOf(histories, row).map((one) => driver.execute(insert, one, cassandraOptions)))
    },
    async add(patient, one) {
      await driver.execute(insert, row(patient, one), cassandraOptions)
    },
    async recent(patient, count) {
      const query = `SELECT observation FROM ${table} WHERE patient = ? LIMIT ?`
      const { rows } = await driver.execute(query, [patient, count], cassandraOptions)
      return rows.map(({ observation }) => JSON.parse(observation) as Observation)
    },
    remove: () => driver.execute(`DROP TABLE IF EXISTS ${table}`),
  }
}
