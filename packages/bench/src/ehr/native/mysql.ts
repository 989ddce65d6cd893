import type { Observation } from '../observation.ts'
import type { NativeHistories, NativeTable } from './native-table.ts'

/** The methods of mysql2 in use. */
interface Pool {
  execute(sql: string, values?: readonly unknown[]): Promise<readonly [unknown, unknown]>
  query(sql: string, values: readonly unknown[]): Promise<unknown>
}

/** A table whose primary key begins with patient and time, by prepared statements. */
export function mysql(native: unknown, { name }: NativeTable): NativeHistories {
  const pool = native as Pool
  const row = (patient: string, one: Observation): readonly unknown[] => [
    patient,
    Date.parse(one.effectiveDateTime),
    one.id,
    JSON.stringify(one),
  ]
  return {
    prepare: () =>
      pool.execute(
        `CREATE TABLE ${name} (patient VARBINARY(255), at BIGINT, id VARBINARY(64), observation JSON NOT NULL, PRIMARY KEY (patient, at, id)) ENGINE = InnoDB`,
      ),
    async load(histories) {
      const rows = histories.flatMap(([patient, some]) => some.map((one) => row(patient, one)))
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
