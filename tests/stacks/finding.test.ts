import { randomBytes } from 'node:crypto'
import { tracingChannel } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cache } from '@unikv/cache'
import { compression } from '@unikv/compression'
import {
  type AnyLayer,
  type AnyStore,
  document,
  type FindOptions,
  type Finds,
  json,
  type KeyValueBase,
  keyValue,
  passThrough,
  type Scans,
  StoreError,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { encryption, keyring } from '@unikv/encryption'
import { monitor } from '@unikv/monitor'
import { openTelemetry } from '@unikv/monitor/opentelemetry'
import { parts } from '@unikv/parts'
import { postgres } from '@unikv/postgres'
import { resilience } from '@unikv/resilience'
import { sqlite } from '@unikv/sqlite'
import { describeWith } from '@unikv/test-kit/vitest'
import { writeBehind } from '@unikv/write-behind'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

interface Log {
  readonly tenant: string
  readonly level: string
  readonly at: number
  readonly source: { readonly host: string }
}

type Kv = KeyValueBase<string, Log> & Finds<string, Log> & Scans<string, Log>

const logs = Array.from({ length: 60 }, (_, i): [string, Log] => [
  `log${i}`,
  {
    tenant: i % 3 === 0 ? 'acme' : 'other',
    level: ['info', 'warn', 'error'][i % 7] ?? 'debug',
    at: (i * 37) % 60,
    source: { host: `web-${i % 5}` },
  },
])
const queries: readonly FindOptions[] = [
  {},
  { where: { tenant: 'acme', at: { gte: 5, lt: 50 } }, orderBy: [{ desc: 'at' }], limit: 7 },
  { where: { or: [{ level: 'error' }, { 'source.host': { prefix: 'web-4' } }] }, orderBy: ['level', 'at'] },
  { where: { level: { in: ['info', 'warn'] }, note: { exists: false } }, limit: 3 },
]

/** All pages of each query, and totals, as one JSON text. */
async function answers(kv: Kv, more: { readonly scan?: boolean } = {}): Promise<string> {
  const all: unknown[] = []
  for (const query of queries) {
    let after: string | undefined
    do {
      const page = await kv.find({ ...query, ...more, after })
      all.push(page.items.map(([key, { value }]) => [key, value]))
      after = page.cursor
    } while (after !== undefined)
    all.push(await kv.aggregate({ where: query.where, of: 'at', ...more }))
  }
  return JSON.stringify(all, sorted)
}

/** Servers keep the properties of a document in another order. */
function sorted(_: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
}

/** What the queries mean. */
async function meant(): Promise<string> {
  const kv = keyValue(memory(), [json()]) as unknown as Kv
  await kv.setMany(logs)
  return answers(kv, { scan: true })
}

let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-finding-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const path = (): string => join(folder, `${files++}.db`)

/** Stacks above documents: the server still sees the fields. */
const above: Readonly<Record<string, () => readonly AnyLayer[]>> = {
  'no layer': () => [],
  'a codec of documents': () => [document()],
  'spans that nobody hears': () => [openTelemetry()],
  'retries, a breaker and a bound': () => [resilience()],
  'a cache': () => [cache()],
  'all of them': () => [cache(), monitor(), openTelemetry(), document(), cache(), resilience(), monitor()],
}

/** Queries by the server of this store, through layers. `other` is the same data by another program. */
function answersThroughLayers(open: () => AnyStore): void {
  test.each(Object.entries(above))('%s: the server answers, and answers the same', async (name, layers) => {
    const m = monitor()
    const kv = keyValue(open(), [m, ...layers()]) as unknown as Kv
    const its = kv.namespace(name.replaceAll(/\W/g, '-')) as typeof kv
    expect(kv.capabilities.find).toBe(true)
    await its.setMany(logs)
    const told: string[] = []
    const heard = { end: (message: unknown) => told.push((message as { operation: string }).operation) }
    tracingChannel('unikv:scan').subscribe(heard as never)
    const found = await answers(its)
    tracingChannel('unikv:scan').unsubscribe(heard as never)
    expect(found).toBe(await meant())
    const { find, scan } = m.snapshot().stores[kv.name] ?? {}
    // Four queries, of one to some pages, and as many totals.
    expect(find?.calls).toBeGreaterThan(2 * queries.length)
    expect([find?.errors ?? {}, scan?.calls ?? 0]).toEqual([{}, 0])
    expect(new Set(told)).toEqual(new Set(['find']))
    await kv.close()
  })

  test('a cache is passed by: what it holds is neither answered by a query, nor renewed by one', async () => {
    const near = keyValue(open(), [cache({ freshForMs: 60_000 })]) as unknown as Kv
    const far = keyValue(open()) as unknown as Kv
    const [its, other] = [near, far].map((kv) => kv.namespace('cached') as Kv) as [Kv, Kv]
    const [, log] = logs[0] as [string, Log]
    await other.set('a', log)
    expect(await its.get('a')).toEqual(log)
    await other.set('a', { ...log, level: 'changed' })
    const found = async (level: string): Promise<unknown> =>
      (await its.find({ where: { level } })).items.map(([key, { value }]) => [key, value.level])
    expect(await found('changed')).toEqual([['a', 'changed']])
    expect(await found(log.level)).toEqual([])
    expect((await its.get('a'))?.level).toBe(log.level)
    // Its own writes are found at once, and a query changes nothing in the cache.
    await its.set('a', { ...log, level: 'own' })
    expect([await found('own'), (await its.get('a'))?.level]).toEqual([[['a', 'own']], 'own'])
    await Promise.all([near.close(), far.close()])
  })

  test('a query that fails is tried again, and one that is wrong is not', async () => {
    let failures = 2
    const faulty = passThrough('faulty', {
      wrap: (inner) => ({
        find: async (query, call) => {
          if (failures-- > 0) throw new StoreError('UNAVAILABLE', 'away')
          return (inner.find as NonNullable<typeof inner.find>)(query, call)
        },
      }),
    })
    const retrying = resilience({ retry: { baseMs: 1 } })
    const kv = keyValue(open(), [retrying, faulty]).namespace('empty') as unknown as Kv
    expect((await kv.find({})).items).toEqual([])
    expect(retrying.stats()).toMatchObject([{ retries: 2 }])
    await expect(kv.find({ where: { a: Number.NaN } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      operation: 'find',
      store: kv.name,
    })
    expect(retrying.stats()).toMatchObject([{ retries: 2 }])
    failures = 1
    await expect(kv.aggregate({ timeoutMs: 1_000 })).resolves.toMatchObject({ count: 0 })
  })
}

describe('documents in SQLite', () => {
  let place = ''
  beforeAll(() => {
    place = path()
  })
  answersThroughLayers(
    () => sqlite({ path: place, values: 'document', threads: 0, durability: 'buffered' }) as AnyStore,
  )
})

describeWith('postgres', (url) => {
  const table = `finding_${process.pid}`
  const open = (): AnyStore => postgres({ url, table, values: 'document', prepare: true }) as AnyStore
  afterAll(async () => {
    const store = postgres({ url, table })
    await store.native.query(`DROP TABLE IF EXISTS ${table}`)
    await store.close()
  })
  answersThroughLayers(open)

  test('a query that waits for a lock ends by its deadline, by its signal, and by close', async () => {
    const store = postgres({ url, table, values: 'document', prepare: true })
    const kv = keyValue(store, [monitor(), resilience()])
    await kv.set('a', { n: 1 })
    const locking = await store.native.connect()
    await locking.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    const startedAt = performance.now()
    await expect(kv.find({ where: { n: 1 }, timeoutMs: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(kv.find({ signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: 'ABORTED' })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    const underWay = kv.find({ where: { n: 1 } })
    const closed = kv.close()
    await locking.query('COMMIT')
    locking.release()
    expect((await underWay).items).toHaveLength(1)
    await closed
    await expect(kv.find({})).rejects.toMatchObject({ code: 'CLOSED' })
  })
})

const keys = keyring({ primary: 'k', keys: { k: randomBytes(32) } })

/** Layers that change bytes: no server sees fields through them. */
const ofBytes: Readonly<Record<string, () => readonly AnyLayer[]>> = {
  compression: () => [compression({ minBytes: 0 })],
  encryption: () => [encryption({ keys, dataset: 'finding' })],
  delta: () => [delta()],
  parts: () => [parts()],
  'a cache in a store': () => [cache({ store: memory() })],
  'a queue of writes': () => [writeBehind({ background: () => {}, delayMs: 5_000 })],
  'several of them': () => [encryption({ keys, dataset: 'finding' }), parts()],
}

describe('layers that change bytes', () => {
  test.each(Object.entries(ofBytes))(
    '%s: refused without scan: true, and right with it',
    async (_, layers) => {
      const kv = keyValue(sqlite({ path: path(), threads: 0, durability: 'buffered' }), [
        json(),
        ...layers(),
      ] as never) as unknown as Kv
      await kv.setMany(logs)
      expect(kv.capabilities.find).not.toBe(true)
      for (const refused of [kv.find({}), kv.aggregate({})])
        await expect(refused).rejects.toThrow(/does not declare find.* With scan: true/)
      expect(await answers(kv, { scan: true })).toBe(await meant())
      await kv.close()
    },
  )

  test.each(Object.entries(ofBytes))('%s cannot stand above documents', async (_, layers) => {
    const documents = sqlite({ path: path(), values: 'document' })
    expect(() => keyValue(documents, [json(), ...layers()] as never)).toThrow(/holds documents/)
    await documents.close()
  })
})

test('a scan for a query is one call: it has one deadline, and close waits for it', async () => {
  let pages = 0
  const slow = passThrough('slow', {
    wrap: (inner) => ({
      scan: async function* (range, call) {
        for await (const page of inner.scan({ ...range, pageSize: 1 }, call)) {
          await new Promise((resolve) => setTimeout(resolve, 20))
          pages++
          yield page
        }
      },
    }),
  })
  const kv = keyValue(memory(), [json<Log>(), slow])
  await kv.setMany(logs.slice(0, 10))
  await expect(kv.find({ scan: true, timeoutMs: 60 })).rejects.toMatchObject({
    code: 'TIMEOUT',
    operation: 'find',
  })
  expect(pages).toBeLessThan(6)
  const whole = kv.find({ scan: true })
  const closed = kv.close()
  expect((await whole).items).toHaveLength(10)
  await closed
})
