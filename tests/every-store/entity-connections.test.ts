import { keyValue } from '@unikv/core'
import { entities, entity, plain } from '@unikv/entity'
import { mysql, prepareMysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

/** Its counter and its index are outside of the group, so a creation needs transactions beside its own. */
const Note = entity('Note', {
  schema: plain<{ book: number; no: number; author: number }>(),
  id: ['book', 'no'],
  generated: 'no',
  group: ['book'],
  indexes: ['author'],
})

const table = `connections_${process.pid}`

/** More creations at the same time than connections: each holds one and waits for another. */
async function created(kv: Parameters<typeof entities>[0]): Promise<number> {
  const db = entities(kv, [Note], { transactions: 'native', timeoutMs: 60_000 })
  const books = Array.from({ length: 24 }, (_, book) => book)
  await Promise.all(
    books.map((book) =>
      db.run(Note.group({ book }), async (tx) => {
        await tx.get(Note, { book, no: 1 }) // the transaction has its connection
        await tx.create(Note, { book, author: book % 3 })
      }),
    ),
  )
  return (await db.byIndex(Note, 'author', 0)).length
}

describeWith('postgres', (url) => {
  test('creations do not wait for each other’s connections', async () => {
    const kv = keyValue(postgres({ url, table, maxConnections: 2, prepare: true }))
    expect(await created(kv)).toBe(8)
    await kv.close()
  })
})

describeWith('mariadb', (url) => {
  test('creations do not wait for each other’s connections', async () => {
    await prepareMysql({ url, table })
    const kv = keyValue(mysql({ url, table, maxConnections: 2, prepare: true }))
    expect(await created(kv)).toBe(8)
    await kv.close()
  })
})
