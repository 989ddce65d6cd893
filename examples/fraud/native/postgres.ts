import { postgres } from '@unikv/postgres'
import type { Database, Sums, Window } from '../database.ts'
import type { Attribute } from '../transaction.ts'

/** Payments in a table of PostgreSQL. */
export function inPostgres(url: string, table: string): Database {
  const store = postgres({ url, table, values: 'document', prepare: true, maxConnections: 32 })
  const { native } = store
  const where = (by: Attribute): string => `FROM ${table} WHERE value->>'${by}' = $1`
  const inWindow = `AND (value->>'at')::int8 > $2 AND (value->>'at')::int8 <= $3`

  return {
    store,
    async sums({ by, value, fromAt, toAt, others }: Window): Promise<Sums> {
      const counted = others === undefined ? '0' : `count(DISTINCT value->>'${others}')::int`
      const sql = `SELECT count(*)::int AS count, coalesce(sum((value->>'cents')::int8), 0)::float8 AS cents,
        ${counted} AS others ${where(by)} ${inWindow}`
      const { rows } = await native.query<Sums>(sql, [value, fromAt, toAt])
      return rows[0] as Sums
    },
    async addAttribute() {
      // Queries see into the documents.
    },
    async addIndex(attribute) {
      await native.query(`CREATE INDEX ${table}_${attribute} ON ${table} ((value->>'${attribute}'))`)
      await native.query(`ANALYZE ${table}`)
    },
    async explain(attribute) {
      const { rows } = await native.query(`EXPLAIN SELECT * ${where(attribute)}`, ['one'])
      return JSON.stringify(rows)
    },
    async drop() {
      await native.query(`DROP TABLE ${table}`)
    },
  }
}
