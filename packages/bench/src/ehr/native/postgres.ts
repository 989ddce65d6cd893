import type { Observation } from '../observation.ts'
import type { NativeHistories, NativeTable } from './native-table.ts'

/** The method of pg in use. */
interface Pool {
  query(statement: {
    readonly name?: string
    readonly text: string
    readonly values?: readonly unknown[]
  }): Promise<{
    readonly rows: readonly { readonly observation: Observation }[]
  }>
}

/** A table whose primary key begins with patient and time, by named prepared statements. */
export function postgres(native: unknown, { name }: NativeTable): NativeHistories {
  const pool = native as Pool
  const row = (patient: string, one: Observation): readonly unknown[] => [
    patient,
    one.effectiveDateTime,
    one.id,
    JSON.stringify(one),
  ]
  return {
    prepare: () =>
      pool.query({
        text: `CREATE TABLE ${name} (patient text COLLATE "C", at timestamptz, id text, observation jsonb NOT NULL, PRIMARY KEY (patient, at, id))`,
      }),
    async load(histories) {
      const rows = histories.flatMap(([patient, some]) => some.map((one) => row(patient, one)))
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
