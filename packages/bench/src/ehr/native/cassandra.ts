import type { Observation } from '../observation.ts'
import type { NativeHistories, NativeTable } from './native-table.ts'

/** The methods of cassandra-driver in use. */
interface Driver {
  execute(
    query: string,
    values?: readonly unknown[],
    options?: object,
  ): Promise<{
    readonly rows: readonly { readonly observation: string }[]
  }>
}

/** Prepared, and at a quorum: the level that unikv has unless it is told otherwise. */
export const options: object = { prepare: true, consistency: 4 }

/** A partition for each patient, whose rows lie in the order of reading. */
export function cassandra(native: unknown, { name, database }: NativeTable): NativeHistories {
  const driver = native as Driver
  const table = `${database}.${name}`
  const insert = `INSERT INTO ${table} (patient, at, id, observation) VALUES (?, ?, ?, ?)`
  const row = (patient: string, one: Observation): readonly unknown[] => [
    patient,
    new Date(one.effectiveDateTime),
    one.id,
    JSON.stringify(one),
  ]
  return {
    prepare: () =>
      driver.execute(
        `CREATE TABLE ${table} (patient text, at timestamp, id text, observation text, PRIMARY KEY (patient, at, id)) WITH CLUSTERING ORDER BY (at DESC, id ASC)`,
      ),
    async load(histories) {
      await Promise.all(
        histories.flatMap(([patient, some]) =>
          some.map((one) => driver.execute(insert, row(patient, one), options)),
        ),
      )
    },
    async add(patient, one) {
      await driver.execute(insert, row(patient, one), options)
    },
    async recent(patient, count) {
      const query = `SELECT observation FROM ${table} WHERE patient = ? LIMIT ?`
      const { rows } = await driver.execute(query, [patient, count], options)
      return rows.map(({ observation }) => JSON.parse(observation) as Observation)
    },
    remove: () => driver.execute(`DROP TABLE IF EXISTS ${table}`),
  }
}
