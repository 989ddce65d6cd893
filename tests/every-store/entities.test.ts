import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue } from '@unikv/core'
import { encryption, keyring } from '@unikv/encryption'
import { entities, entity, type GroupKeyValue, plain } from '@unikv/entity'
import { lmdb } from '@unikv/lmdb'
import { monitor } from '@unikv/monitor'
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
async function created(kv: GroupKeyValue): Promise<number> {
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

test('native transactions stand below layers that change nothing, and are refused below others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unikv-entities-'))
  const store = lmdb({ path: folder })
  const note = { book: 1, author: 2 }
  const created = await entities(keyValue(store), [Note], { transactions: 'native' }).create(Note, note)
  const watched = entities(keyValue(store, [monitor()]), [Note], { transactions: 'native' })
  expect(await watched.get(Note, created)).toEqual({ ...note, no: 1 })
  const keys = keyring({ primary: 'a', keys: { a: Uint8Array.from({ length: 32 }, (_, at) => at) } })
  const sealed = keyValue(store, [encryption({ dataset: 'notes', keys })])
  expect(() => entities(sealed, [Note], { transactions: 'native' })).toThrow('bypass its layers (encryption)')
  const inRecords = entities(sealed, [Note])
  await inRecords.create(Note, note)
  expect(await inRecords.byIndex(Note, 'author', 2)).toEqual([{ ...note, no: 1 }])
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})
