import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, expect, test } from 'vitest'
import { datasetPlace } from '../../src/run/place-of.ts'
import {
  type Indexer,
  type IndexFacts,
  type IndexPlan,
  indexName,
  refusalOf,
  serves,
  tableOf,
} from '../../src/tactics/indexer.ts'
import { indexers } from '../../src/tactics/indexers.ts'
import { type Ground, grounds } from './indexes/grounds.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-indexes-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const never = new AbortController().signal
/** Products whose servers here go on with writes while an index is made; stand-ins do not. */
const besideWrites: readonly string[] = ['postgres', 'mysql', 'cassandra']

function planOf({ table, by }: Ground): IndexPlan {
  return { name: indexName(table, by), table, by }
}

function tableName(what: string): string {
  return `tune_${what}_${process.pid}`
}

/** An index is made beside writes, found, used, and dropped; each of it twice. */
async function tryIndex(ground: Ground, records: number): Promise<void> {
  const indexer = indexers[ground.kind] as Indexer
  const plan = planOf(ground)
  const own = async () =>
    (await indexer.look(ground.native, ground.table)).indexes.find(({ name }) => name === plan.name)
  const isUsed = async (): Promise<boolean> => ground.uses.test(await ground.explain())
  try {
    await ground.fill(records)
    const before = await indexer.look(ground.native, ground.table)
    expect(refusalOf(ground.table, before, plan.by)).toBeUndefined()
    expect(before.indexes.some((index) => serves(index, plan.by))).toBe(false)
    expect(before.indexes.every(({ isOfKey }) => isOfKey)).toBe(true)
    expect(await isUsed()).toBe(false)

    const writing = new Writing(ground)
    await pause(50)
    const { count } = writing
    await indexer.create(ground.native, plan, never)
    let beside = writing.count - count
    // A write that waits for the whole index would be the only one. An index may be made so quickly that no second one comes.
    for (let round = 0; besideWrites.includes(ground.kind) && beside < 2 && round < 20; round += 1) {
      await indexer.drop(ground.native, plan, never)
      const { count: earlier } = writing
      await indexer.create(ground.native, plan, never)
      beside = writing.count - earlier
    }
    await writing.end()
    if (besideWrites.includes(ground.kind)) expect(beside).toBeGreaterThan(1)
    expect(await isUsed()).toBe(true)
    expect(await own()).toMatchObject({ by: plan.by, isValid: true, isOfKey: false })

    await indexer.create(ground.native, plan, never)
    const { indexes } = await indexer.look(ground.native, ground.table)
    expect(indexes.filter((index) => serves(index, plan.by))).toHaveLength(1)

    await indexer.drop(ground.native, plan, never)
    await indexer.drop(ground.native, plan, never)
    expect(await own()).toBeUndefined()
    expect(await isUsed()).toBe(false)
    await expect(indexer.create(ground.native, plan, AbortSignal.abort())).rejects.toThrow()
    expect(await own()).toBeUndefined()
  } finally {
    await ground.remove()
    await ground.close()
  }
}

/** One write after the other. */
class Writing {
  readonly #done: Promise<void>
  #isOn = true
  count = 0

  constructor(ground: Ground) {
    this.#done = this.#run(ground, () => this.#isOn)
  }

  async end(): Promise<void> {
    this.#isOn = false
    await this.#done
  }

  async #run(ground: Ground, isOn: () => boolean): Promise<void> {
    for (let i = 1; isOn(); i++) {
      await ground.write(i)
      this.count++
      await pause(1)
    }
  }
}

// The stand-ins for MongoDB and CouchDB hold up writes while they build, so few records are there.
const tried = { postgres: 20_000, mariadb: 20_000, mongodb: 2_000, couchdb: 2_000, cassandra: 2_000 } as const
for (const [kind, records] of Object.entries(tried) as [keyof typeof tried, number][])
  describeWith(kind, (url) => {
    test('an index is made beside writes, and dropped', () =>
      tryIndex(grounds[kind](url, tableName('t')), records))
  })

test('in SQLite an index is made between writes, and dropped', () =>
  tryIndex(grounds.sqlite(join(folder, 'a.db'), tableName('t')), 20_000))

for (const kind of ['postgres', 'mariadb'] as const)
  describeWith(kind, (url) => {
    test('a signal stops the server, and the next attempt succeeds', async () => {
      const ground = grounds[kind](url, tableName('s'))
      const indexer = indexers[ground.kind] as Indexer
      const plan = planOf(ground)
      const served = async (): Promise<boolean> =>
        (await indexer.look(ground.native, ground.table)).indexes.some((index) => serves(index, plan.by))
      try {
        await ground.fill(60_000)
        // On a fast machine the index may be there before the signal: then an earlier one.
        let isStopped = false
        for (const ms of [20, 10, 5, 2]) {
          const made = indexer.create(ground.native, plan, AbortSignal.timeout(ms))
          isStopped = (await made.then(notStopped, stopped)) && !(await served())
          if (isStopped) break
          await indexer.drop(ground.native, plan, never)
        }
        expect(isStopped).toBe(true)
        await indexer.create(ground.native, plan, never)
        expect(await served()).toBe(true)
      } finally {
        await ground.remove()
        await ground.close()
      }
    })
  })

const stopped = (): boolean => true
const notStopped = (): boolean => false

describeWith('mariadb', (url) => {
  test('an attribute gets a virtual column, which goes with its index', async () => {
    const ground = grounds.mariadb(url, tableName('v'))
    const indexer = indexers['mysql'] as Indexer
    const plan = { name: indexName(ground.table, ['fill']), table: ground.table, by: ['fill'] }
    const run = async (sql: string): Promise<string> =>
      JSON.stringify((await (ground.native as { query(sql: string): Promise<unknown[]> }).query(sql))[0])
    const columns = (): Promise<string> => run(`SHOW COLUMNS FROM ${ground.table}`)
    try {
      await ground.fill(1000)
      const facts = await indexer.look(ground.native, ground.table)
      expect(refusalOf(ground.table, facts, plan.by)).toContain('only for a query that names a column')
      await indexer.create(ground.native, plan, never)
      // No write is refused for the length of a value.
      await run(`UPDATE ${ground.table} SET value = JSON_OBJECT('fill', REPEAT('y', 5000)) WHERE k = 'x7'`)
      const query = `FROM ${ground.table} WHERE ${plan.name}_1 = REPEAT('y', 5000)`
      expect(await run(`EXPLAIN SELECT k ${query}`)).toContain(`"key":"${plan.name}"`)
      expect(await run(`SELECT COUNT(*) AS n ${query}`)).toBe('[{"n":1}]')
      expect((await indexer.look(ground.native, ground.table)).indexes).toContainEqual(
        expect.objectContaining({ name: plan.name, by: ['fill'] }),
      )
      await indexer.drop(ground.native, plan, never)
      expect(await columns()).not.toContain('unikv_tune')
    } finally {
      await ground.remove()
      await ground.close()
    }
  })

  test('an index for words serves no query for a value', async () => {
    const ground = grounds.mariadb(url, tableName('w'))
    try {
      await ground.fill(10)
      await (ground.native as { query(sql: string): Promise<unknown> }).query(
        `ALTER TABLE ${ground.table} ADD COLUMN note TEXT, ADD FULLTEXT INDEX words (note)`,
      )
      const { indexes } = await (indexers['mysql'] as Indexer).look(ground.native, ground.table)
      expect(indexes.find(({ name }) => name === 'words')?.by).toEqual(['?'])
    } finally {
      await ground.remove()
      await ground.close()
    }
  })

  test('a transaction that takes long holds up the index, and no other write', async () => {
    const ground = grounds.mariadb(url, tableName('l'))
    const indexer = indexers['mysql'] as Indexer
    const other = mysql({ url })
    try {
      await ground.fill(1000)
      const connection = await other.native.getConnection()
      await connection.beginTransaction()
      await connection.query(`SELECT COUNT(*) FROM ${ground.table}`)
      const made = indexer.create(ground.native, planOf(ground), never)
      const writing = new Writing(ground)
      await pause(2500)
      await writing.end()
      await connection.commit()
      connection.release()
      await made
      expect(writing.count).toBeGreaterThan(2)
      expect(ground.uses.test(await ground.explain())).toBe(true)
    } finally {
      await ground.remove()
      await other.close()
      await ground.close()
    }
  })

  test('a user without the right is told so', async () => {
    const ground = grounds.mariadb(url, tableName('d'))
    const user = tableName('u')
    const run = (sql: string): Promise<unknown> =>
      (ground.native as { query(sql: string): Promise<unknown> }).query(sql)
    const guest = mysql({ url: Object.assign(new URL(url), { username: user, password: 'pw' }) })
    try {
      await ground.fill(10)
      await run(`CREATE USER '${user}'@'%' IDENTIFIED BY 'pw'`)
      await run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${ground.table} TO '${user}'@'%'`)
      const look = () => (indexers['mysql'] as Indexer).look(guest.native, ground.table)
      expect(await look()).toMatchObject({
        denied: expect.stringMatching(/^This user lacks the right INDEX/),
      })
      await run(`GRANT INDEX ON ${ground.table} TO '${user}'@'%'`)
      expect((await look()).denied).toBeUndefined()
      await (indexers['mysql'] as Indexer).create(guest.native, planOf(ground), never)
      expect(ground.uses.test(await ground.explain())).toBe(true)
    } finally {
      await run(`DROP USER IF EXISTS '${user}'@'%'`)
      await ground.remove()
      await guest.close()
      await ground.close()
    }
  })
})

describeWith('postgres', (url) => {
  test('an index of some records or of another kind serves no query, and one with more to it is not dropped', async () => {
    const ground = grounds.postgres(url, tableName('k'))
    const run = (sql: string): Promise<unknown> =>
      (ground.native as { query(sql: string): Promise<unknown> }).query(sql)
    const ip = `(value->>'ip')`
    const made = {
      some: `(${ip}) WHERE k > '\\x61'`,
      words: `USING gin (to_tsvector('simple', ${ip}))`,
      more: `(${ip}) INCLUDE (k)`,
      back: `(${ip} DESC)`,
      begins: `(${ip} text_pattern_ops)`,
      plain: `(${ip})`,
    }
    try {
      await ground.write(1)
      for (const [name, rest] of Object.entries(made))
        await run(`CREATE INDEX ${ground.table}_${name} ON ${ground.table} ${rest}`)
      const { indexes } = await (indexers['postgres'] as Indexer).look(ground.native, ground.table)
      const found = Object.keys(made).map((name) => {
        const { by, isOfKey } = indexes.find((one) => one.name === `${ground.table}_${name}`) as IndexFacts
        return [name, by[0], isOfKey]
      })
      expect(found).toEqual([
        ['some', '?', false],
        ['words', '?', true],
        ['more', 'ip', true],
        ['back', 'ip', true],
        ['begins', 'ip', true],
        ['plain', 'ip', false],
      ])
    } finally {
      await ground.remove()
      await ground.close()
    }
  })

  test('a user without the right is told so', async () => {
    const ground = grounds.postgres(url, tableName('d'))
    const user = tableName('u')
    const run = (sql: string): Promise<unknown> =>
      (ground.native as { query(sql: string): Promise<unknown> }).query(sql)
    const guest = postgres({ url: Object.assign(new URL(url), { username: user, password: 'pw' }) })
    try {
      await ground.write(1)
      await run(`CREATE ROLE ${user} LOGIN PASSWORD 'pw'`)
      await run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${ground.table} TO ${user}`)
      const facts = await (indexers['postgres'] as Indexer).look(guest.native, ground.table)
      expect(facts.denied).toMatch(/^This user does not own/)
    } finally {
      await ground.remove()
      await run(`DROP ROLE IF EXISTS ${user}`)
      await guest.close()
      await ground.close()
    }
  })
})

test.each([
  ['postgres/h/5432/shop/tx', 'postgres', 'tx'],
  ['postgres/h/5432/shop/sales/tx', 'postgres', 'sales.tx'],
  ['postgres/sales/tx', 'postgres', 'sales.tx'],
  ['postgres/tx', 'postgres', 'tx'],
  ['mysql/h/3306/shop/tx', 'mysql', 'tx'],
  ['mongodb/h:1,i:2/shop/shop/tx', 'mongodb', 'shop.tx'],
  ['mongodb/tx', 'mongodb', 'tx'],
  ['cassandra/h:9042/shop/tx', 'cassandra', 'shop.tx'],
  ['sqlite//data/a.db/tx', 'sqlite', 'tx'],
  ['couchdb/h:5984//tx/tx', 'couchdb', 'tx'],
])('the table of the dataset %s', (dataset, kind, table) => {
  expect(datasetPlace(dataset)).toEqual({ kind, table })
})

test('a query that names a table without its place means one beside that of the store', () => {
  expect(tableOf({ by: ['ip'], in: 'ips' }, 'shop.tx')).toBe('shop.ips')
  expect(tableOf({ by: ['ip'], in: 'other.ips' }, 'shop.tx')).toBe('other.ips')
  expect(tableOf({ by: ['ip'], in: 'ips' }, 'tx')).toBe('ips')
})
