import type { SqlDb, SqlTable } from '../sql/sql-db.ts'
import { type ContentAccess, microExecutions } from './calls.ts'

const columns = { owner: 'integer', number: 'integer', content: 'text', updates: 'integer' } as const
const keyed = { columns, key: ['owner', 'number'], generated: 'number' } as const

/** The tables of Micro. */
export const microTables: readonly SqlTable[] = [
  { name: 'Item', ...keyed },
  { name: 'Shared', ...keyed },
  { name: 'Post', ...keyed },
  { name: 'Submission', ...keyed, columns: { ...columns, sender: 'integer' }, indexes: [['sender']] },
]

function tableOf(kind: string): SqlTable {
  return microTables.find(({ name }) => name === kind) as SqlTable
}

/** The work of Micro by SQL. */
export const microSql: ContentAccess<SqlDb> = {
  create: (db, kind, content) => db.insert(tableOf(kind), { ...content, updates: 0 }),
  // The database gives numbers of its own only to what sessions create.
  fill: (db, kind, owner, contents, first) =>
    db.run(async (sql) => {
      for (const [index, content] of contents.entries())
        await sql.insert(tableOf(kind), { owner, number: first + index, content, updates: 0 })
    }),
  get: (db, kind, { owner, number }) =>
    db.rows(`SELECT * FROM {${kind}} WHERE "owner" = ? AND "number" = ?`, [owner, number]),
  list: (db, kind, by, id) =>
    db.rows(`SELECT * FROM {${kind}} WHERE "${by}" = ? ORDER BY "owner", "number"`, [id]),
  // Each row is locked as it is read, in the order in which the session chose them.
  update: (db, kind, { owner, numbers, content }) =>
    db.run(async (sql) => {
      const ofRow = 'WHERE "owner" = ? AND "number" = ?'
      let updated = 0
      for (const number of numbers) {
        const text = `SELECT "updates" FROM {${kind}} ${ofRow} FOR UPDATE`
        const [row] = await sql.rows<{ readonly updates: number }>(text, [owner, number])
        if (row === undefined) continue
        const values = [content, row.updates + 1, owner, number]
        updated += await sql.change(`UPDATE {${kind}} SET "content" = ?, "updates" = ? ${ofRow}`, values)
      }
      return updated
    }),
}

/** The interactions of Micro by SQL. */
export const microBySql = microExecutions(microSql)
