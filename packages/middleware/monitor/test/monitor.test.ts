import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { conformance, testClock } from '@unikv/conformance'
import {
  type AnyLayer,
  type Bytes,
  compose,
  json,
  keyValue,
  passThrough,
  type ReadMeta,
  type Store,
  StoreError,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type CallMessage, channelNames, monitor } from '../src/index.ts'

const bytes = (text: string): Bytes => Buffer.from(text)

/** Makes every answer below it a promise, and lets a time pass on the given clock meanwhile. */
function slow(clock: { advance(ms: number): void }, ms = 5): AnyLayer {
  const later = async <T>(answer: T | Promise<T>): Promise<T> => {
    const value = await answer
    clock.advance(ms)
    return value
  }
  return passThrough('slow', {
    wrap: (inner) => ({
      read: (reads, call) => later(inner.read(reads, call)),
      write: (mutations, call) => later(inner.write(mutations, call)),
      scan: (range, call) => pagesLater(inner.scan(range, call), clock, ms),
    }),
  })
}

/** Finds a value in every key, each time with the next of these. */
function foundWith(metas: readonly (ReadMeta | undefined)[]): AnyLayer {
  const left = [...metas]
  return passThrough('found', {
    wrap: () => ({
      read: () => [{ value: bytes('x'), version: undefined, expiresAt: undefined, meta: left.shift() }],
    }),
  })
}

async function* pagesLater<T>(
  pages: AsyncIterable<T> | Iterable<T>,
  clock: { advance(ms: number): void },
  ms: number,
): AsyncGenerator<T> {
  for await (const page of pages) {
    clock.advance(ms)
    yield page
  }
}

test('calls and items are counted by operation', async () => {
  const m = monitor()
  const kv = keyValue(memory(), [m])
  await kv.set('a', bytes('1'))
  await kv.setMany([
    ['b', bytes('2')],
    ['c', bytes('3')],
  ])
  await kv.get('a')
  await kv.getMany(['a', 'b', 'nothing'])
  await kv.delete('c')
  await kv.touch('a', { ttlMs: 1_000 })
  await kv.increment('counter')
  await kv.count()
  const { memory: store } = m.snapshot().stores
  expect(store).toMatchObject({
    read: { calls: 2, items: 4, absent: 1, misses: 4, hitRate: 0, errors: {}, underWay: 0 },
    set: { calls: 2, items: 3, conditionsFailed: 0 },
    delete: { calls: 1, items: 1 },
    touch: { calls: 1 },
    increment: { calls: 1 },
    scan: { calls: 1, items: 3 },
  })
})

test('answers are told apart by the tier that gave them', async () => {
  const tiers = ['near', undefined, 'far', 'far', 'near', 'near']
  const m = monitor()
  const kv = keyValue(memory(), [m, foundWith(tiers.map((tier) => ({ tier, stale: true })))])
  for (let i = 0; i < 6; i++) await kv.get('a')
  expect(m.snapshot().stores['memory']?.read).toMatchObject({
    hits: { near: 3, far: 2 },
    misses: 1,
    stale: 5,
    hitRate: 5 / 6,
  })
})

test('hits of a tier that always gives the same meta are counted between answers of others', async () => {
  const near = { tier: 'near' }
  const far = { tier: 'far' }
  const old = { tier: 'far', stale: true }
  const metas = [undefined, near, near, old, near, far, near, undefined, old, old, near, near]
  const m = monitor()
  const kv = keyValue(memory(), [m, foundWith(metas)])
  for (let i = 0; i < 12; i++) await kv.get('a')
  expect(m.snapshot().stores['memory']?.read).toMatchObject({
    hits: { near: 6, far: 4 },
    misses: 2,
    stale: 3,
  })
})

test('errors are counted by code, whether a call fails as a whole or in an item', async () => {
  const failing = passThrough('failing', {
    wrap: () => ({
      read: (reads) => {
        if (reads[0]?.key === 'throws') throw new StoreError('UNAVAILABLE', 'down')
        if (reads[0]?.key === 'rejects') return Promise.reject(new StoreError('OVERLOADED', 'busy'))
        return reads.map(({ key }) => (key === 'bad' ? new StoreError('CORRUPT', 'bad') : undefined))
      },
    }),
  })
  const m = monitor()
  const kv = keyValue(memory(), [m, failing])
  await expect(kv.get('throws')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(kv.get('rejects')).rejects.toMatchObject({ code: 'OVERLOADED' })
  await expect(kv.getMany(['good', 'bad'])).rejects.toMatchObject({ code: 'PARTIAL' })
  const { read } = m.snapshot().stores['memory'] ?? {}
  expect(read).toMatchObject({
    calls: 3,
    errors: { UNAVAILABLE: 1, OVERLOADED: 1, CORRUPT: 1 },
    absent: 1,
    underWay: 0,
  })
})

test('a condition that does not hold is no error', async () => {
  const m = monitor()
  const kv = keyValue(memory(), [m])
  await kv.set('a', bytes('1'), { ifVersion: null })
  await expect(kv.set('a', bytes('2'), { ifVersion: null })).rejects.toMatchObject({
    code: 'CONDITION_FAILED',
  })
  expect(m.snapshot().stores['memory']?.set).toMatchObject({ conditionsFailed: 1, errors: {} })
})

test('one in 16 synchronous answers is timed, and all are counted', async () => {
  let reads = 0
  const m = monitor({ monotonicClock: () => ++reads })
  const kv = keyValue(memory(), [m])
  for (let i = 0; i < 160; i++) await kv.get('a')
  // About one in 16, and two readings of the clock for each.
  expect(reads).toBeGreaterThan(10)
  expect(reads).toBeLessThan(30)
  expect(m.snapshot().stores['memory']?.read?.atOnce).toMatchObject({
    count: 160,
    timed: reads / 2,
    p50Ms: 1,
  })
})

test('timeEverySync times all of them', async () => {
  const m = monitor({ timeEverySync: true })
  const kv = keyValue(memory(), [m])
  for (let i = 0; i < 40; i++) await kv.get('a')
  expect(m.snapshot().stores['memory']?.read?.atOnce).toMatchObject({ count: 40, timed: 40 })
})

test('all answers by promise are timed, also those that were not expected to be promises', async () => {
  const clock = testClock(0)
  let waits = true
  const sometimes = passThrough('sometimes', {
    wrap: (inner) => ({
      read: (reads, call) =>
        waits
          ? Promise.resolve(inner.read(reads, call)).then((r) => (clock.advance(8), r))
          : inner.read(reads, call),
    }),
  })
  const m = monitor({ monotonicClock: clock })
  const kv = keyValue(memory(), [m, sometimes])
  for (let i = 0; i < 100; i++) {
    waits = i % 3 === 0
    await kv.get('a')
  }
  const { awaited, atOnce } = m.snapshot().stores['memory']?.read ?? {}
  expect(awaited).toMatchObject({ count: 34, timed: 34, minMs: 8, maxMs: 8, meanMs: 8 })
  expect(atOnce?.count).toBe(66)
})

test('a call under way is seen, and one whose caller has gone is counted as late', async () => {
  let release = (): void => {}
  const stuck = passThrough('stuck', {
    wrap: (inner) => ({
      read: async (reads, call) => {
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return inner.read(reads, call)
      },
    }),
  })
  const m = monitor()
  const kv = keyValue(memory(), [m, stuck])
  const abort = new AbortController()
  const got = kv.get('a', { signal: abort.signal })
  expect(m.snapshot().stores['memory']?.read).toMatchObject({ calls: 1, underWay: 1, late: 0 })
  abort.abort()
  await expect(got).rejects.toMatchObject({ code: 'ABORTED' })
  release()
  await new Promise((resolve) => setImmediate(resolve))
  expect(m.snapshot().stores['memory']?.read).toMatchObject({ underWay: 0, late: 1 })
})

test('pages of a scan are counted and timed, whether they come at once or not', async () => {
  const clock = testClock(0)
  const m = monitor({ monotonicClock: clock, timeEverySync: true })
  const kv = keyValue(memory({ name: 'quick' }), [m])
  const other = keyValue(memory({ name: 'slow' }), [m, slow(clock)])
  for (const store of [kv, other]) {
    for (let i = 0; i < 5; i++) await store.set(`k${i}`, bytes('v'))
    const keys: string[] = []
    for await (const key of store.keys({ pageSize: 2 })) keys.push(key)
    expect(keys).toHaveLength(5)
  }
  const { quick, slow: slowStore } = m.snapshot().stores
  expect(quick?.scan).toMatchObject({ calls: 3, items: 5, underWay: 0, atOnce: { count: 3, timed: 3 } })
  expect(slowStore?.scan).toMatchObject({
    calls: 3,
    items: 5,
    underWay: 0,
    awaited: { count: 3, minMs: 5, maxMs: 5 },
  })
})

test('a scan that fails is counted', async () => {
  const broken = passThrough('broken', {
    wrap: () => ({
      scan: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new StoreError('UNAVAILABLE', 'down')) }),
      }),
    }),
  })
  const m = monitor()
  const kv = keyValue(memory(), [m, broken])
  await expect(kv.count()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(m.snapshot().stores['memory']?.scan).toMatchObject({
    calls: 1,
    errors: { UNAVAILABLE: 1 },
    underWay: 0,
  })
})

test('calls by promise are published while somebody listens, without keys or values', async () => {
  const clock = testClock(0)
  const m = monitor({ monotonicClock: clock })
  const kv = keyValue(memory(), [m, slow(clock)])
  const heard: CallMessage[] = []
  const listen = (message: unknown): void => void heard.push(message as CallMessage)
  for (const name of Object.values(channelNames)) subscribe(name, listen)
  await kv.set('secret key', bytes('secret value'))
  await kv.getMany(['secret key', 'b'])
  await kv.count()
  for (const name of Object.values(channelNames)) unsubscribe(name, listen)
  await kv.get('secret key')
  expect(heard).toEqual([
    { store: 'memory', operation: 'set', items: 1, failed: 0, durationMs: 5 },
    { store: 'memory', operation: 'read', items: 2, failed: 0, durationMs: 5 },
    { store: 'memory', operation: 'scan', items: 1, failed: 0, durationMs: 5 },
  ])
})

test('answers without a promise are not published', async () => {
  const kv = keyValue(memory(), [monitor()])
  const heard: unknown[] = []
  const listen = (message: unknown): void => void heard.push(message)
  subscribe(channelNames.read, listen)
  await kv.get('a')
  unsubscribe(channelNames.read, listen)
  expect(heard).toEqual([])
})

test('reset starts anew', async () => {
  const clock = testClock(1_000)
  const m = monitor({ clock })
  const kv = keyValue(memory(), [m])
  await kv.get('a')
  clock.advance(500)
  m.reset()
  expect(m.snapshot()).toEqual({ sinceAt: 1_500, takenAt: 1_500, stores: { memory: {} } })
  await kv.get('a')
  expect(m.snapshot().stores['memory']?.read?.calls).toBe(1)
})

test('a snapshot is plain data that names no key', async () => {
  const m = monitor()
  const kv = keyValue(memory(), [m, json()])
  await kv.set('secret key', { secret: 'value' })
  await kv.get('secret key')
  const snapshot = m.snapshot()
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  expect(JSON.stringify(snapshot)).not.toMatch(/secret/)
})

test('a wrong option is refused', () => {
  expect(() => monitor({ timeEverySync: 1 as unknown as boolean })).toThrow(
    '`timeEverySync` of monitor() must be true or false',
  )
})

describe('the suite', async () => {
  const clock = testClock()
  const open = () => {
    const store = memory({ clock })
    // A value that is too large for plain memory has 256 MiB.
    const small = { ...store, capabilities: { ...store.capabilities, maxValueBytes: 500_000 } }
    return compose(small, [monitor()]) as Store<Bytes>
  }
  await conformance({ test, describe, clock, open })
})

test('a program of a period of 16 calls is timed in all its phases', () => {
  let now = 0
  const above = monitor({ monotonicClock: () => now })
  const inner = memory()
  const slowEach16th = {
    ...inner,
    read: (...args: Parameters<typeof inner.read>) => {
      if (args[0][0]?.key.endsWith('slow') === true) now += 1_000
      return inner.read(...args)
    },
  }
  const kv = keyValue(slowEach16th, [above])
  for (let i = 0; i < 16_000; i++) void kv.get(i % 16 === 7 ? 'slow' : 'fast')
  const { timed, meanMs } = above.snapshot().stores['memory']?.read?.atOnce ?? { timed: 0, meanMs: 0 }
  expect(timed).toBeGreaterThan(800)
  expect(timed).toBeLessThan(1_200)
  // A 16th of the calls take 1,000 ms each.
  expect(meanMs).toBeGreaterThan(30)
  expect(meanMs).toBeLessThan(120)
})
