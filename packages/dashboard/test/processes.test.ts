import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { openStores } from '@unikv/manager'
import { monitor } from '@unikv/monitor'
import { keptHistory, recorder } from '@unikv/monitor/recorder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'
import type { ProcessesView } from '../src/processes.ts'

// Figures of several processes, which keep them in one store.

const token = 'a-token-of-the-tests'
const kept = keyValue(memory())
const manager = await openStores({
  stores: { users: { url: 'memory:' }, orders: { url: 'memory:' } },
  monitor: true,
})
const tokens = [
  { name: 'owner', token },
  { name: 'other', token: 'token-of-one-store', stores: ['orders'] },
]
const made = dashboard(manager, { tokens, history: keptHistory(kept) })
const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  made.close()
  for (const end of ends) await end()
  await manager.close()
})

/** A process that called these stores so often, and has written. */
async function process(
  processName: string,
  calls: Readonly<Record<string, number>>,
): Promise<() => Promise<void>> {
  const m = monitor({ timeEverySync: true })
  const recorded = recorder(m, { keepIn: kept, processName })
  for (const [name, count] of Object.entries(calls)) {
    const kv = keyValue({ ...memory(), name }, [m])
    for (let i = 0; i < count; i++) await kv.get('a')
  }
  await recorded.flush()
  ends.push(() => recorded.close())
  return () => recorded.close()
}

async function asked(secret = token): Promise<ProcessesView> {
  const headers = { authorization: `Bearer ${secret}` }
  const answer = await made.fetch(new Request('http://localhost/api/processes', { headers }))
  return (await answer.json()) as ProcessesView
}

let leave: () => Promise<void>
beforeAll(async () => {
  leave = await process('web-1:17', { users: 40, orders: 10 })
  await process('web-2:18', { users: 60 })
})

test('each process is told with its rates, and all of them together', async () => {
  const { processes, together, at } = await asked()
  expect(processes.map(({ name }) => name)).toEqual(['web-1:17', 'web-2:18'])
  for (const one of processes)
    expect([one.at <= at, one.lengthMs > 0, one.errorShare]).toEqual([true, true, 0])
  const calls = processes.map(({ callsPerSecond, lengthMs }) =>
    Math.round((callsPerSecond * lengthMs) / 1_000),
  )
  expect(calls).toEqual([50, 60])
  expect(Object.keys(together).toSorted()).toEqual(['orders', 'users'])
  const sum = processes.reduce((total, { callsPerSecond }) => total + callsPerSecond, 0)
  const read = (store: string): number => together[store]?.['read']?.callsPerSecond ?? 0
  expect(read('users') + read('orders')).toBeCloseTo(sum, 6)
})

test('a caller is told of processes that use its stores, and of those calls alone', async () => {
  const { processes, together, servers } = await asked('token-of-one-store')
  expect(processes.map(({ name }) => name)).toEqual(['web-1:17'])
  expect(Object.keys(together)).toEqual(['orders'])
  expect(Object.keys(servers)).not.toContain('users')
  const [one] = processes
  expect(Math.round(((one?.callsPerSecond ?? 0) * (one?.lengthMs ?? 0)) / 1_000)).toBe(10)
})

test('a process that ends is not told any more', async () => {
  await leave()
  expect((await asked()).processes.map(({ name }) => name)).toEqual(['web-2:18'])
})

test('figures of a moment stay for a while, in both forms, and are those of the caller', async () => {
  const ask = (path: string, secret = token) =>
    made.fetch(
      new Request(`http://localhost/api/${path}`, { headers: { authorization: `Bearer ${secret}` } }),
    )
  await manager.stores.users.set('a', new Uint8Array(1))
  await manager.stores.orders.set('a', new Uint8Array(1))
  const text = await ask('metrics')
  const snapshot = text.headers.get('unikv-snapshot')
  const before = await text.text()
  await manager.stores.users.set('b', new Uint8Array(1))
  expect(await (await ask(`metrics?snapshot=${snapshot}`)).text()).toBe(before)
  const own = await (await ask(`figures?snapshot=${snapshot}`, 'token-of-one-store')).json()
  expect(Object.keys((own as { readonly stores: object }).stores)).toEqual(['orders'])
  expect(await (await ask(`metrics?snapshot=${snapshot}`, 'token-of-one-store')).text()).not.toContain(
    'users',
  )
  expect((await ask('metrics', 'wrong')).status).toBe(401)
  for (let i = 0; i < 10; i++) await ask('figures')
  expect((await ask(`figures?snapshot=${snapshot}`)).status).toBe(404)
})

test('a server that cannot be reached is told with the reason', async () => {
  const own = await openStores({ stores: { away: { url: 'redis://127.0.0.1:1' } } })
  const page = dashboard(own, { tokens })
  try {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await page.fetch(new Request('http://localhost/api/processes', { headers }))
    const { servers } = (await answer.json()) as ProcessesView
    expect(servers['away']).toMatchObject({
      error: 'UNAVAILABLE',
      why: expect.stringContaining('127.0.0.1:1'),
    })
  } finally {
    page.close()
    await own.close()
  }
})
