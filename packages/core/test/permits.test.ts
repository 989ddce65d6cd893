import { expect, test } from 'vitest'
import { Permits } from '../src/adapter/index.ts'
import { StoreError } from '../src/index.ts'

const call = (signal?: AbortSignal) => ({ deadlineAt: Number.POSITIVE_INFINITY, signal })

const store = {}

/** Whether it is over when everything that could happen has happened. */
async function isOver(work: Promise<unknown>): Promise<boolean> {
  let over = false
  const end = (): void => {
    over = true
  }
  void work.then(end, end)
  await new Promise(setImmediate)
  return over
}

test.each([
  [10, 9],
  [2, 1],
])('of %i connections %i are lent at the same time, first come, first served', async (connections, most) => {
  const permits = new Permits(connections)
  const held = await Promise.all(Array.from({ length: most }, () => permits.take(call(), store)))
  const [second, third] = [permits.take(call(), store), permits.take(call(), store)]
  expect(await isOver(second)).toBe(false)
  expect(permits.waiting).toBe(2)
  held[0]?.()
  held[0]?.() // counts once
  const giveBack = await second
  expect(await isOver(third)).toBe(false)
  giveBack()
  await third
  expect(permits.waiting).toBe(0)
})

test('one that ends while it waits takes none, even in the moment in which it is given', async () => {
  const permits = new Permits(2)
  const held = await permits.take(call(), store)
  const early = new AbortController()
  const late = new AbortController()
  const [first, second] = [permits.take(call(early.signal), store), permits.take(call(late.signal), store)]
  early.abort()
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
  held()
  late.abort()
  await second.then(
    (giveBack) => giveBack(),
    () => {},
  )
  expect(await isOver(permits.take(call(), store))).toBe(true)
})

test('one that has ended before it waits takes none', async () => {
  const permits = new Permits(2)
  const held = await permits.take(call(), store)
  for (const ended of [call(AbortSignal.abort()), { deadlineAt: performance.now() - 1 }])
    await expect(permits.take(ended, store)).rejects.toMatchObject({
      code: expect.stringMatching(/ABORTED|TIMEOUT/),
    })
  expect(permits.waiting).toBe(0)
  permits.refuse(store, new StoreError('CLOSED', 'This store is closed.'))
  held()
  expect(await isOver(permits.take(call(), store))).toBe(true)
})

test('brief transactions wait for nobody, and stores that share a pool share its permits', async () => {
  const pool = {}
  const [one, other] = [Permits.of(pool, 2), Permits.of(pool, 2)]
  await one.take(call(), store)
  expect(await isOver(other.take(call(), store))).toBe(false)
  for (let i = 0; i < 3; i++) (await other.take({ ...call(), brief: true }, store))()
  expect(other.waiting).toBe(1)
})

test('those of a store that is closed are refused, and others have their turn', async () => {
  const permits = new Permits(2)
  const held = await permits.take(call(), store)
  const [mine, other] = [permits.take(call(), store), permits.take(call(), {})]
  permits.refuse(store, new StoreError('CLOSED', 'This store is closed.'))
  await expect(mine).rejects.toMatchObject({ code: 'CLOSED' })
  held()
  await other
  expect(permits.waiting).toBe(0)
})

test('where a pool does not tell how many connections it has, there is no limit', async () => {
  const permits = new Permits(undefined)
  await Promise.all(Array.from({ length: 1_000 }, () => permits.take(call(), store)))
  expect(permits.waiting).toBe(0)
})

test('one connection alone is too few for transactions, and each is told so at once', async () => {
  const permits = new Permits(1)
  const refused = { code: 'INVALID_CONFIG', message: expect.stringContaining('at least 2 connections') }
  for (const brief of [false, true])
    await expect(permits.take({ ...call(), brief }, store)).rejects.toMatchObject(refused)
})
