import { ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import type { StoreWork } from '../../src/index.ts'
import { dropIndex } from '../../src/tactics/index-tactics.ts'
import { type Indexer, indexName } from '../../src/tactics/indexer.ts'
import { indexers } from '../../src/tactics/indexers.ts'
import { type Ground, grounds } from './indexes/grounds.ts'

const never = new AbortController().signal
const tableName = (what: string): string => `tune_${what}_${process.pid}`

interface Sql {
  query(sql: string): Promise<unknown>
}
interface Collections {
  collection(): Promise<{
    find(filter: object): { toArray(): Promise<unknown> }
    createIndex(key: object, options: object): Promise<unknown>
    aggregate(stages: object[]): { toArray(): Promise<readonly { readonly accesses?: { since: unknown } }[]> }
  }>
}

/** A query that the index on `ip` serves, and a second index that nothing uses. */
const products = {
  postgres: {
    ask: ({ native, table }: Ground) =>
      (native as Sql).query(`SELECT k FROM ${table} WHERE value->>'ip' = '10.7'`),
    addUnused: ({ native, table }: Ground) =>
      (native as Sql).query(`CREATE INDEX ${table}_old ON ${table} ((value->>'fill'))`),
  },
  mariadb: {
    ask: ({ native, table }: Ground) => (native as Sql).query(`SELECT k FROM ${table} WHERE ip = '10.7'`),
    addUnused: ({ native, table }: Ground) =>
      (native as Sql).query(`CREATE INDEX ${table}_old ON ${table} (version)`),
  },
  mongodb: {
    ask: async ({ native }: Ground) =>
      (await (native as Collections).collection()).find({ 'value.ip': '10.7' }).toArray(),
    addUnused: async ({ native, table }: Ground) =>
      (await (native as Collections).collection()).createIndex(
        { 'value.fill': 1 },
        { name: `${table.split('.').at(-1)}_old` },
      ),
  },
} as const

/** The indexes that would be dropped, by the server's own figures, while queries by `ip` go on. */
async function unusedOf(ground: Ground, kind: keyof typeof products, count = 4000) {
  const { ask, addUnused } = products[kind]
  const { table, by } = ground
  await ground.fill(count)
  const plan = { name: indexName(table, by), table, by }
  await (indexers[ground.kind] as Indexer).create(ground.native, plan, never)
  await addUnused(ground)
  const place = { name: 'users', kind: ground.kind, table, kv: { native: ground.native } }
  const work: StoreWork = {}
  return async (): Promise<readonly unknown[]> => {
    for (let i = 0; i < 5; i += 1) await ask(ground)
    const found = await dropIndex.look?.({ ...place, manager: {}, signal: never } as never, work)
    const facts = { store: 'users', kind: ground.kind, table, configuration: {}, work, server: undefined }
    return dropIndex.applies({ ...facts, found } as never).map(({ title, figures, refused }) => ({
      title,
      uses: figures[0]?.value,
      refused,
    }))
  }
}

const removalOf = ({ table }: Ground) => {
  const name = `${table.split('.').at(-1)}_old`
  return {
    title: `the removal of the index ${name} on ${table}, which no query uses`,
    uses: 0,
    refused: undefined,
  }
}

async function within(ground: Ground, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } finally {
    await ground.remove()
    await ground.close()
  }
}

describeWith('postgres', (url) => {
  test('pg_stat_user_indexes tells which index no query uses', async () => {
    const ground = grounds.postgres(url, tableName('n'))
    await within(ground, async () => {
      const unused = await unusedOf(ground, 'postgres')
      // The server counts with some delay.
      await expect.poll(unused, { timeout: 30_000, interval: 100 }).toEqual([removalOf(ground)])
    })
  })
})

describeWithOwn('mariadb', () => {
  test('the performance schema tells which index no query uses, and without it no index is dropped', async () => {
    await using counting = await ownServer('mariadb', { args: ['--performance-schema=ON'] })
    const ground = grounds.mariadb(counting.url, tableName('n'))
    await within(ground, async () => {
      const unused = await unusedOf(ground, 'mariadb')
      await expect.poll(unused, { timeout: 30_000, interval: 100 }).toEqual([removalOf(ground)])
    })
    await using silent = await ownServer('mariadb', { args: ['--performance-schema=OFF'] })
    const other = grounds.mariadb(silent.url, tableName('o'))
    await within(other, async () => {
      expect(await (await unusedOf(other, 'mariadb'))()).toEqual([])
    })
  })
})

describeWith('mongodb', (url) => {
  test('$indexStats tells which index no query uses, and a server without it has none dropped', async () => {
    const ground = grounds.mongodb(url, tableName('n'))
    await within(ground, async () => {
      const unused = await unusedOf(ground, 'mongodb', 500)
      const collection = await (ground.native as Collections).collection()
      const counted = await collection
        .aggregate([{ $indexStats: {} }])
        .toArray()
        .catch(() => [])
      const counts = counted.some(({ accesses }) => (accesses?.since ?? null) !== null)
      await expect.poll(unused, { timeout: 30_000, interval: 100 }).toEqual(counts ? [removalOf(ground)] : [])
    })
  })
})
