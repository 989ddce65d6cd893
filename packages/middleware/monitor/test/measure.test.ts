import { keyValue, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { monitor, type Query, queryNamed } from '../src/index.ts'
import { recorder } from '../src/recorder/index.ts'

test('a native call is counted and returns what it returned', async () => {
  const m = monitor()
  expect(m.measure('sql', () => 1)).toBe(1)
  expect(await m.measure('sql', () => Promise.resolve(2))).toBe(2)
  const failure = new Error('no such table')
  expect(() =>
    m.measure('sql', () => {
      throw failure
    }),
  ).toThrow(failure)
  await expect(m.measure('sql', () => Promise.reject(failure))).rejects.toBe(failure)
  expect(m.snapshot().stores['sql']?.native).toMatchObject({
    calls: 4,
    items: 4,
    errors: { UNAVAILABLE: 2 },
    awaited: { count: 2 },
    atOnce: { count: 2 },
  })
})

test('a query that is sent by `then` is sent once', async () => {
  let sent = 0
  // oxlint-disable-next-line unicorn/no-thenable -- as query builders have one
  const query = { then: (resolve: (rows: number) => void) => resolve(++sent) }
  expect(await monitor().measure('sql', () => query as unknown as PromiseLike<number>)).toBe(1)
  expect(sent).toBe(1)
})

test('names beyond the first thousand are counted together', () => {
  const m = monitor()
  for (let i = 0; i < 1100; i++) m.measure(`query ${i}`, () => i)
  const { stores } = m.snapshot()
  expect(Object.keys(stores)).toHaveLength(1001)
  expect(stores['(others)']?.native?.calls).toBe(100)
})

test('the latest calls are there in detail, without keys and values', async () => {
  const m = monitor({ recentCalls: 3, timeEverySync: true, clock: () => 1000, monotonicClock: () => 0 })
  const kv = keyValue(memory(), [m, text()])
  await kv.set('secret key', 'secret value')
  await kv.getMany(['secret key', 'b'])
  await kv.delete('b')
  await m.measure('sql', () => Promise.reject(new Error('secret'))).catch(() => {})
  expect(m.recent()).toEqual([
    {
      at: 1000,
      store: 'memory',
      operation: 'read',
      items: 2,
      failed: 0,
      error: undefined,
      durationMs: 0,
      isAwaited: false,
    },
    {
      at: 1000,
      store: 'memory',
      operation: 'delete',
      items: 1,
      failed: 0,
      error: undefined,
      durationMs: 0,
      isAwaited: false,
    },
    {
      at: 1000,
      store: 'sql',
      operation: 'native',
      items: 1,
      failed: 1,
      error: 'UNAVAILABLE',
      durationMs: 0,
      isAwaited: true,
    },
  ])
  expect(JSON.stringify(m.recent())).not.toContain('secret')
})

test('a traffic layer next to the store counts bytes', async () => {
  const m = monitor()
  const kv = keyValue(memory(), [m, text(), m.traffic()])
  await kv.set('a', '12345')
  await kv.get('a')
  await kv.get('absent')
  for await (const _ of kv.entries()) void _
  const { set, read, scan } = m.snapshot().stores['memory'] ?? {}
  expect([set?.bytes, read?.bytes, scan?.bytes]).toEqual([5, 5, 5])
})

test('calls are counted once more by the attributes that they query', async () => {
  const m = monitor()
  const its = recorder(m)
  for (let i = 0; i < 3; i++) await m.measure('sql', () => Promise.resolve(i), { by: ['ip'] })
  m.measure('sql', () => 1, { by: ['ip', 'card.no'], in: 'shop.payments' })
  m.measure('sql', () => 1)
  const { native, queries } = m.snapshot().stores['sql'] ?? {}
  expect(native?.calls).toBe(5)
  expect(Object.entries(queries ?? {}).map(([name, { calls }]) => [name, calls])).toEqual([
    ['by ip', 3],
    ['by ip,card.no in shop.payments', 1],
  ])
  expect(queryNamed('by ip,card.no in shop.payments')).toEqual({ by: ['ip', 'card.no'], in: 'shop.payments' })
  const { sql } = its.features().windows['5s'].stores
  expect([sql?.native?.mix, sql?.['by ip']?.mix]).toEqual([1, 0.6])
  await its.close()
})

test('attributes must be names', () => {
  const measured = (query: object) => () => monitor().measure('sql', () => 1, query as Query)
  expect(measured({ by: [] })).toThrow('`by` of measure() must be a list of 1 to 5 attributes, got 0.')
  expect(measured({ by: "ip' OR 1" })).toThrow('must be a list')
  expect(measured({ by: ["ip' OR 1"] })).toThrow(
    "names of attributes such as ip or customer.country, got 'ip' OR 1'.",
  )
  expect(measured({ by: ['ip'], in: 'a;b' })).toThrow('`in` of measure() must be the name of a table')
  expect(measured({ by: ['ip'], table: 'a' })).toThrow('Unknown option `table` of measure()')
})

test('kinds of queries beyond the first hundred are native calls only', () => {
  const m = monitor()
  for (let i = 0; i < 110; i++) m.measure('sql', () => i, { by: [`a${i}`] })
  const { native, queries = {} } = m.snapshot().stores['sql'] ?? {}
  expect([native?.calls, Object.keys(queries).length]).toEqual([110, 100])
})
