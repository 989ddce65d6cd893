import type { Histories, History } from '../fill.ts'
import type { Observation } from '../observation.ts'
import type { Patient } from '../patient.ts'
import type { NativeHistories, NativeTable } from './documents.ts'

type Row = readonly unknown[]

/** An observation as a row: its patient, its time as the driver takes it, its id and itself. */
function rowOf(timeOf: (one: Observation) => unknown): (patient: string, one: Observation) => Row {
  return (patient, one) => [patient, timeOf(one), one.id, JSON.stringify(one)]
}

function rowsOf(histories: readonly History[], row: ReturnType<typeof rowOf>): readonly Row[] {
  return histories.flatMap(({ patient, observations }) => observations.map((one) => row(patient.id, one)))
}

/** A patient as a row: the id and itself. */
function personsOf(histories: readonly History[]): readonly Row[] {
  return histories.map(({ patient }) => [patient.id, JSON.stringify(patient)])
}

/** The columns of rows. */
function columnsOf(rows: readonly Row[]): readonly Row[] {
  return (rows[0] ?? []).map((_, column) => rows.map((one) => one[column]))
}

/** The method of pg in use. */
interface PgPool {
  query<T>(statement: { readonly name?: string; readonly text: string; readonly values?: Row }): Promise<{
    readonly rows: readonly T[]
  }>
}

/** A table of patients, and one of observations whose primary key begins with patient and time, by named prepared statements. */
export function postgres(native: unknown, { name }: NativeTable): NativeHistories {
  const pool = native as PgPool
  const patients = `${name}_patients`
  const row = rowOf(({ effectiveDateTime }) => effectiveDateTime)
  return {
    prepare: () =>
      pool.query({
        text: `CREATE TABLE ${name} (patient text COLLATE "C", at timestamptz, id text, observation jsonb NOT NULL, PRIMARY KEY (patient, at, id));
          CREATE TABLE ${patients} (patient text COLLATE "C" PRIMARY KEY, resource jsonb NOT NULL)`,
      }),
    async load(histories) {
      const people = `INSERT INTO ${patients} SELECT * FROM unnest($1::text[], $2::jsonb[])`
      await pool.query({ name: `${name}_people`, text: people, values: columnsOf(personsOf(histories)) })
      const rows = rowsOf(histories, row)
      if (rows.length === 0) return
      const text = `INSERT INTO ${name} SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::jsonb[])`
      await pool.query({ name: `${name}_load`, text, values: columnsOf(rows) })
    },
    async add(patient, one) {
      const text = `INSERT INTO ${name} VALUES ($1, $2, $3, $4)`
      await pool.query({ name: `${name}_add`, text, values: row(patient, one) })
    },
    async recent(patient, count) {
      const text = `SELECT observation FROM ${name} WHERE patient = $1 ORDER BY at DESC LIMIT $2`
      const { rows } = await pool.query<{ readonly observation: Observation }>({
        name: `${name}_recent`,
        text,
        values: [patient, count],
      })
      return rows.map(({ observation }) => observation)
    },
    async chart(patient, count) {
      const own = `SELECT observation FROM ${name} o WHERE o.patient = p.patient ORDER BY at DESC LIMIT $2`
      const text = `SELECT resource AS patient, ARRAY(${own}) AS observations FROM ${patients} p WHERE patient = $1`
      const { rows } = await pool.query<History>({ name: `${name}_chart`, text, values: [patient, count] })
      return rows[0]
    },
    remove: () => pool.query({ text: `DROP TABLE IF EXISTS ${name}, ${patients}` }),
  }
}

/** The methods of mysql2 in use. */
interface MysqlPool {
  execute(sql: string, values?: readonly unknown[]): Promise<readonly [unknown, unknown]>
  query(sql: string, values: readonly unknown[]): Promise<unknown>
}

/** A table of patients, and one of observations whose primary key begins with patient and time, by prepared statements. */
export function mysql(native: unknown, { name }: NativeTable): NativeHistories {
  const pool = native as MysqlPool
  const patients = `${name}_patients`
  const row = rowOf(({ effectiveDateTime }) => Date.parse(effectiveDateTime))
  const recent: Histories['recent'] = async (patient, count) => {
    // A prepared LIMIT is a text for some servers.
    const text = `SELECT observation AS data FROM ${name} WHERE patient = ? ORDER BY at DESC LIMIT ${Math.trunc(count)}`
    return dataIn<Observation>(await pool.execute(text, [patient]))
  }
  return {
    async prepare() {
      await pool.execute(
        `CREATE TABLE ${name} (patient VARBINARY(255), at BIGINT, id VARBINARY(64), observation JSON NOT NULL, PRIMARY KEY (patient, at, id)) ENGINE = InnoDB`,
      )
      await pool.execute(
        `CREATE TABLE ${patients} (patient VARBINARY(255) PRIMARY KEY, resource JSON NOT NULL) ENGINE = InnoDB`,
      )
    },
    async load(histories) {
      await pool.query(`INSERT INTO ${patients} VALUES ?`, [personsOf(histories)])
      const rows = rowsOf(histories, row)
      if (rows.length > 0) await pool.query(`INSERT INTO ${name} VALUES ?`, [rows])
    },
    async add(patient, one) {
      await pool.execute(`INSERT INTO ${name} VALUES (?, ?, ?, ?)`, row(patient, one))
    },
    recent,
    async chart(id, count) {
      const text = `SELECT resource AS data FROM ${patients} WHERE patient = ?`
      const [found, observations] = await Promise.all([pool.execute(text, [id]), recent(id, count)])
      const [patient] = dataIn<Patient>(found)
      return patient && { patient, observations }
    },
    remove: () => pool.execute(`DROP TABLE IF EXISTS ${name}, ${patients}`),
  }
}

/** The column `data` of all rows. MySQL gives JSON as data, MariaDB as text. */
function dataIn<T>([rows]: readonly [unknown, unknown]): readonly T[] {
  return (rows as readonly { readonly data: unknown }[]).map(
    ({ data }) => (typeof data === 'string' ? JSON.parse(data) : data) as T,
  )
}

/** A patient, where it was asked for, and observations. */
interface Read {
  readonly resource: string | undefined
  readonly observations: readonly Observation[]
}

/** The methods of cassandra-driver in use. */
interface Driver {
  execute(
    query: string,
    values?: Row,
    options?: object,
  ): Promise<{
    readonly rows: readonly { readonly resource?: string; readonly observation: string | null }[]
  }>
}

/** Prepared, and at a quorum: the level that unikv has unless it is told otherwise. */
export const cassandraOptions: object = { prepare: true, consistency: 4 }

/** A partition for each patient: a static column holds the patient, and rows of observations lie in the order of reading. */
export function cassandra(native: unknown, { name, database }: NativeTable): NativeHistories {
  const driver = native as Driver
  const table = `${database}.${name}`
  const insert = `INSERT INTO ${table} (patient, at, id, observation) VALUES (?, ?, ?, ?)`
  const row = rowOf(({ effectiveDateTime }) => new Date(effectiveDateTime))
  const read = async (columns: string, patient: string, count: number): Promise<Read> => {
    const query = `SELECT ${columns} FROM ${table} WHERE patient = ? LIMIT ?`
    const { rows } = await driver.execute(query, [patient, count], cassandraOptions)
    // A patient without observations has a row without one.
    const observations = rows.flatMap(({ observation }) =>
      observation === null ? [] : [JSON.parse(observation) as Observation],
    )
    return { resource: rows[0]?.resource, observations }
  }
  return {
    prepare: () =>
      driver.execute(
        `CREATE TABLE ${table} (patient text, at timestamp, id text, resource text STATIC, observation text, PRIMARY KEY (patient, at, id)) WITH CLUSTERING ORDER BY (at DESC, id ASC)`,
      ),
    async load(histories) {
      const done = (query: string, rows: readonly Row[]): readonly Promise<unknown>[] =>
        rows.map((one) => driver.execute(query, one, cassandraOptions))
      const person = `INSERT INTO ${table} (patient, resource) VALUES (?, ?)`
      await Promise.all([...done(person, personsOf(histories)), ...done(insert, rowsOf(histories, row))])
    },
    async add(patient, one) {
      await driver.execute(insert, row(patient, one), cassandraOptions)
    },
    async recent(patient, count) {
      return (await read('observation', patient, count)).observations
    },
    async chart(id, count) {
      const { resource, observations } = await read('resource, observation', id, count)
      return resource === undefined ? undefined : { patient: JSON.parse(resource) as Patient, observations }
    },
    remove: () => driver.execute(`DROP TABLE IF EXISTS ${table}`),
  }
}
