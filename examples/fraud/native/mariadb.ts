import { mysql } from '@unikv/mysql'
import type { Database, Sums, Window } from '../database.ts'
import type { Attribute } from '../transaction.ts'

/** Payments in a table of MariaDB. Before 11.8 it uses an index only for a column, so each attribute of a rule is a virtual one. */
export function inMariadb(url: string, table: string): Database {
  const store = mysql({ url, table, values: 'document', prepare: true, maxConnections: 32 })
  const { native } = store
  const inWindow = `AND JSON_VALUE(value, '$.at') > ? AND JSON_VALUE(value, '$.at') <= ?`
  const addAttribute = async (attribute: Attribute): Promise<void> => {
    const made = `AS (JSON_VALUE(value, '$.${attribute}')) VIRTUAL INVISIBLE`
    await native.query(
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${attribute} LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin ${made}`,
    )
  }

  return {
    store,
    async sums({ by, value, fromAt, toAt, others }: Window): Promise<Sums> {
      const counted = others === undefined ? '0' : `COUNT(DISTINCT JSON_VALUE(value, '$.${others}'))`
      const sql = `SELECT COUNT(*) AS count, COALESCE(SUM(JSON_VALUE(value, '$.cents')), 0) AS cents, ${counted} AS others
        FROM ${table} WHERE ${by} = ? ${inWindow}`
      const [rows] = await native.query<readonly Sums[]>(sql, [value, fromAt, toAt])
      const { count, cents, others: found } = rows[0] as Sums
      return { count: Number(count), cents: Number(cents), others: Number(found) }
    },
    addAttribute,
    async addIndex(attribute) {
      await addAttribute(attribute)
      await native.query(`CREATE INDEX ${table}_${attribute} ON ${table} (${attribute}(64))`)
    },
    async explain(attribute) {
      const [rows] = await native.query(`EXPLAIN SELECT * FROM ${table} WHERE ${attribute} = ?`, ['one'])
      return JSON.stringify(rows)
    },
    async drop() {
      await native.query(`DROP TABLE ${table}`)
    },
  }
}
