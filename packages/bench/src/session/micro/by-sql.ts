import type { Executions } from '../model/interaction.ts'
import type { Sql, SqlDb, SqlTable } from '../sql/sql-db.ts'
import { emptyResult, type Found, type MicroCalls } from './calls.ts'

const columns = { owner: 'integer', number: 'integer', content: 'text', updates: 'integer' } as const
const keyed = { columns, key: ['owner', 'number'], generated: 'number' } as const

const item: SqlTable = { name: 'Item', ...keyed }
const shared: SqlTable = { name: 'Shared', ...keyed }
const post: SqlTable = { name: 'Post', ...keyed }
const submission: SqlTable = {
  name: 'Submission',
  ...keyed,
  columns: { ...columns, sender: 'integer' },
  indexes: [['sender']],
}

/** The tables of Micro. */
export const microTables: readonly SqlTable[] = [item, shared, post, submission]

/** The interactions of Micro by SQL. */
export const microBySql: Executions<SqlDb, MicroCalls> = {
  CREATE_ITEM: creating(item),
  GET_ITEM: getting(item),
  LIST_ITEM: listing(item),
  UPDATE_ITEM: updating(item),
  CREATE_SHARED: creating(shared),
  GET_SHARED: getting(shared),
  LIST_SHARED: listing(shared),
  UPDATE_SHARED: updating(shared),
  CREATE_POST: creating(post),
  GET_POST: getting(post),
  GET_MY_POST: getting(post),
  LIST_POST: listing(post),
  LIST_MY_POST: listing(post),
  UPDATE_POST: updating(post),
  CREATE_SUBMISSION: async ({ owner, sender, content }, db) => ({
    number: await db.insert(submission, { owner, sender, content, updates: 0 }),
  }),
  LIST_SUBMISSION_BY_ME: async ({ sender }, db) =>
    answerOf(
      await db.rows('SELECT * FROM {Submission} WHERE "sender" = ? ORDER BY "owner", "number"', [sender]),
    ),
  LIST_SUBMISSION_TO_ME: listing(submission),
  LIST_SUBMISSION_BY_RECEIVER: listing(submission),
  UPDATE_SUBMISSION: updating(submission),
}

function creating(table: SqlTable): Executions<SqlDb, MicroCalls>['CREATE_ITEM'] {
  return async ({ owner, content }, db) => ({
    number: await db.insert(table, { owner, content, updates: 0 }),
  })
}

function getting({ name }: SqlTable): Executions<SqlDb, MicroCalls>['GET_ITEM'] {
  return async ({ owner, number }, db) =>
    answerOf(await db.rows(`SELECT * FROM {${name}} WHERE "owner" = ? AND "number" = ?`, [owner, number]))
}

function listing({ name }: SqlTable): Executions<SqlDb, MicroCalls>['LIST_ITEM'] {
  return async ({ owner }, db) =>
    answerOf(await db.rows(`SELECT * FROM {${name}} WHERE "owner" = ? ORDER BY "number"`, [owner]))
}

/** Read and write some rows in one transaction: each is locked as it is read, in the order in which the session chose them. */
function updating({ name }: SqlTable): Executions<SqlDb, MicroCalls>['UPDATE_ITEM'] {
  return ({ owner, numbers, content }, db) =>
    db.run(async (sql) => {
      let updated = 0
      for (const number of numbers) updated += await updateOne(sql, name, { owner, number, content })
      return { updated, mode: updated === 0 ? emptyResult : undefined }
    })
}

async function updateOne(
  sql: Sql,
  name: string,
  { owner, number, content }: { readonly owner: number; readonly number: number; readonly content: string },
): Promise<number> {
  const found = await sql.rows<{ readonly updates: number }>(
    `SELECT "updates" FROM {${name}} WHERE "owner" = ? AND "number" = ? FOR UPDATE`,
    [owner, number],
  )
  const [row] = found
  if (row === undefined) return 0
  const text = `UPDATE {${name}} SET "content" = ?, "updates" = ? WHERE "owner" = ? AND "number" = ?`
  return sql.change(text, [content, row.updates + 1, owner, number])
}

function answerOf(found: Found['found']): Found {
  return { found, mode: found.length === 0 ? emptyResult : undefined }
}
