import { testClock } from '@unikv/conformance'
import { keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { Random } from '@unikv/test-kit/schedules'
import { describe, expect, test } from 'vitest'
import { cache, createCache, loaded, type ObjectCacheOptions } from '../src/index.ts'
import { RefreshAhead } from '../src/loads/refresh-ahead.ts'
import { bytes, gated, put, textOf } from './gated-cache.ts'
import { turn } from './gated-store.ts'

/** A number that makes −ln(1 − random) this many load times. */
const drawing = (loadTimes: number) => () => 1 - Math.exp(-loadTimes)

/** A cache with the entry `a: 1`, whose load took 10 ms and that is fresh from 1,000 to 2,000. */
async function filled(options: ObjectCacheOptions = {}) {
  const clock = testClock(1_000)
  const work: Promise<unknown>[] = []
  const background = (one: Promise<unknown>) => void work.push(one)
  const made = gated({
    freshForMs: 1_000,
    refreshAhead: true,
    random: drawing(5),
    background,
    clock,
    monotonicClock: clock,
    ...options,
  })
  const kv = keyValue(made.stack, [], { clock, timeoutMs: 60_000 })
  await put(made.store, 'a', '1')
  const got = kv.get('a')
  clock.advance(10)
  await made.store.open()
  await got
  return { ...made, clock, kv, work }
}

test('a key is never renewed by the loader of another key that share reads meanwhile', async () => {
  const clock = testClock(1_000)
  const work: Promise<unknown>[] = []
  const own = createCache<{ of: string }>({
    freshForMs: 1_000,
    refreshAhead: true,
    random: drawing(5),
    background: (one) => void work.push(one),
    clock,
    monotonicClock: clock,
    share: (value) => {
      if ((value as { of: string }).of === 'a') void own.cached('b', slow('b'))
      return { ...(value as object) }
    },
  })
  const slow = (of: string) => async () => {
    await Promise.resolve()
    clock.advance(10)
    return { of }
  }
  const many = async (keys: string[]) =>
    new Map(await Promise.all(keys.map(async (key) => [key, await slow(key)()] as const)))
  await own.cached('b', slow('b'))
  await own.cachedMany(['a'], many)
  clock.advance(980)
  await own.cachedMany(['a'], many)
  await Promise.all(work)
  expect([own.peek('a')?.of, own.peek('b')?.of]).toEqual(['a', 'b'])
})

describe('an entry near its end', () => {
  test('is the answer at once, and renewed behind it from where the formula says', async () => {
    const { store, kv, clock, work, c } = await filled()
    await put(store, 'a', '2')
    clock.advance(939)
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(store.reads).toHaveLength(1)
    clock.advance(1.001)
    for (let n = 0; n < 5; n++) expect(textOf(await kv.get('a'))).toBe('1')
    expect((await kv.getEntry('a'))?.meta?.stale).toBeUndefined()
    expect(store.reads).toHaveLength(2)
    expect(work).toHaveLength(1)
    await store.open()
    await Promise.all(work)
    expect(textOf(await kv.get('a'))).toBe('2')
    clock.advance(900)
    expect(textOf(await kv.get('a'))).toBe('2')
    expect(c.stats()).toMatchObject({ refreshes: 1, loads: 2, misses: 1, staleAnswers: 0 })
  })

  test.each([
    [2, 900],
    [0.5, 975],
  ])('is renewed with a beta of %d from %d ms on', async (beta, dueMs) => {
    const { store, kv, clock } = await filled({ refreshAhead: { beta } })
    clock.advance(dueMs - 10 - 0.001)
    await kv.get('a')
    expect(store.reads).toHaveLength(1)
    clock.advance(0.002)
    await kv.get('a')
    expect(store.reads).toHaveLength(2)
    await store.open()
  })

  test('is not renewed by a call that names a level of the store, nor by default', async () => {
    const { store, kv, clock } = await filled({ refreshAhead: false })
    clock.advance(989)
    await kv.get('a')
    const other = await filled()
    other.clock.advance(989)
    const read = other.stack.read([{ key: 'a' }], { ...call(), consistency: 'eventual' })
    await other.store.open()
    expect(await read).toHaveLength(1)
    expect([store.reads.length, other.store.reads.length]).toEqual([1, 2])
    expect(other.work).toEqual([])
  })

  test('is loaded once for 10,000 readers around its end, and none of them waits before it', async () => {
    const random = new Random(7)
    const { store, stack, clock, work } = await filled({ random: () => random.next() })
    await put(store, 'a', '2')
    clock.advance(890)
    let waiting = 0
    const late: Promise<unknown>[] = []
    for (let n = 0; n < 10_000; n++) {
      clock.advance(0.02)
      const results = stack.read([{ key: 'a' }], call())
      if (!(results instanceof Promise)) continue
      waiting++
      if (clock() < 2_000) throw new Error('a reader waits although the entry is fresh')
      late.push(results)
    }
    expect(waiting).toBeGreaterThan(4_990)
    expect(store.reads).toHaveLength(2)
    await store.open()
    const values = (await Promise.all(late)) as [{ value: unknown }][]
    expect(new Set(values.map(([entry]) => textOf(entry.value)))).toEqual(new Set(['2']))
    await Promise.all(work)
    expect(work).toHaveLength(1)
  })

  test('that a write replaces meanwhile does not come back', async () => {
    const { store, stack, kv, clock, work } = await filled()
    clock.advance(985)
    await kv.get('a')
    store.look()
    await keyValue(stack).set('a', bytes('2'))
    await store.open()
    await Promise.all(work)
    const got = kv.get('a')
    await turn()
    await store.open()
    expect(textOf(await got)).toBe('2')
  })

  test('whose load fails stays until its end, and the next hit tries again', async () => {
    const { store, kv, clock, work, c } = await filled()
    clock.advance(985)
    for (let n = 0; n < 2; n++) {
      expect(textOf(await kv.get('a'))).toBe('1')
      await store.open(new StoreError('UNAVAILABLE', 'down'))
    }
    await Promise.all(work)
    expect(c.stats()).toMatchObject({ refreshes: 2, failures: 2, hits: 2 })
  })

  test('is loaded once for a batch that names it twice', async () => {
    const { store, stack, clock } = await filled()
    clock.advance(985)
    await stack.read([{ key: 'a' }, { key: 'a' }], call())
    expect(store.reads.slice(1)).toEqual([[{ key: 'a', ifNotVersion: expect.any(String) }]])
    await store.open()
  })

  test('and known absence are renewed alike', async () => {
    const { store, kv, clock } = await filled({ absentForMs: 500 })
    const missed = kv.get('b')
    clock.advance(10)
    await store.open()
    expect(await missed).toBeUndefined()
    clock.advance(441)
    await put(store, 'b', '1')
    expect(await kv.get('b')).toBeUndefined()
    await store.open()
    expect(textOf(await kv.get('b'))).toBe('1')
  })
})

test('over a store that answers at once nothing is renewed ahead', async () => {
  const clock = testClock(1_000)
  const c = cache({
    freshForMs: 100,
    refreshAhead: true,
    clock,
    monotonicClock: clock,
    random: () => {
      throw new Error('nobody asks')
    },
    background: () => {},
  })
  const kv = keyValue(memory({ clock }), [c])
  await kv.set('a', bytes('1'))
  await kv.get('a')
  clock.advance(99.9)
  await kv.get('a')
  expect(c.stats()).toMatchObject({ refreshes: 0, loads: 1, hits: 1 })
})

test('the share of early refreshes is that of the formula', () => {
  const random = new Random(11)
  const ahead = new RefreshAhead(1.5, () => random.next())
  const draws = 20_000
  for (const beforeEndMs of [1, 10, 30, 60, 150]) {
    let due = 0
    for (let n = 0; n < draws; n++) if (ahead.isDue(1_000 - beforeEndMs, 1_000, 20)) due++
    const expected = Math.exp(-beforeEndMs / (1.5 * 20))
    // Four standard deviations.
    const bound = 4 * Math.sqrt((expected * (1 - expected)) / draws)
    expect(Math.abs(due / draws - expected)).toBeLessThan(bound)
  }
})

test('far from the end no random number is drawn', () => {
  const ahead = new RefreshAhead(1, () => {
    throw new Error('drawn')
  })
  expect(ahead.isDue(0, 371, 10)).toBe(false)
  expect(ahead.isDue(0, Number.POSITIVE_INFINITY, 10)).toBe(false)
  expect(() => ahead.isDue(0, 369, 10)).toThrow('drawn')
})

test('what was not measured takes the mean of the loads, and nothing while there is none', () => {
  const ahead = new RefreshAhead(1, drawing(5))
  expect(ahead.isDue(999, 1_000)).toBe(false)
  ahead.measured(20)
  ahead.measured(0)
  expect(ahead.isDue(899, 1_000)).toBe(false)
  expect(ahead.isDue(901, 1_000)).toBe(true)
  ahead.measured(28)
  expect([ahead.isDue(894, 1_000), ahead.isDue(896, 1_000)]).toEqual([false, true])
})

describe('in a cache that the application drives', () => {
  test('cached is answered at once, and its loader renews; get and peek load nothing', async () => {
    const clock = testClock(1_000)
    const work: Promise<unknown>[] = []
    const cached = createCache<number>({
      freshForMs: 1_000,
      refreshAhead: true,
      random: drawing(5),
      clock,
      monotonicClock: clock,
      background: (one) => void work.push(one),
    })
    let value = 1
    const load = async () => {
      clock.advance(10)
      await turn()
      return loaded(value, { version: `v${value}` })
    }
    expect(await cached.cached('a', load)).toBe(1)
    value = 2
    clock.advance(975)
    expect([await cached.get('a'), cached.peek('a'), work.length]).toEqual([1, 1, 0])
    expect(await cached.cached('a', load)).toBe(1)
    expect(work).toHaveLength(1)
    await Promise.all(work)
    expect(await cached.get('a')).toBe(2)
    expect(cached.stats()).toMatchObject({ refreshes: 1, loads: 2 })
    await cached.close()
  })
})

describe('jitter', () => {
  test('ends entries that were filled together one after the other, none later than freshForMs', async () => {
    const random = new Random(3)
    const clock = testClock(0)
    const { store, stack, c } = gated({
      freshForMs: 1_000,
      jitter: 0.1,
      random: () => random.next(),
      clock,
      monotonicClock: clock,
    })
    const keys = Array.from({ length: 200 }, (_, n) => `k${n}`)
    for (const key of keys) await put(store, key, '1')
    const all = stack.read(
      keys.map((key) => ({ key })),
      call(),
    )
    await store.open()
    await all
    const left = (at: number): number => {
      clock.advance(at - clock())
      return keys.filter((key) => !(stack.read([{ key }], call()) instanceof Promise)).length
    }
    expect(left(899)).toBe(200)
    const half = left(950)
    expect(half).toBeGreaterThan(60)
    expect(half).toBeLessThan(140)
    expect(left(1_000)).toBe(0)
    await store.open()
    expect(c.stats().entries).toBe(200)
  })

  test('leaves what is fresh for ever as it is', async () => {
    const { store, kv, clock } = await filled({ freshForMs: () => Number.POSITIVE_INFINITY, jitter: 1 })
    clock.advance(1e12)
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(store.reads).toHaveLength(1)
  })
})

test.each<ObjectCacheOptions>([
  { refreshAhead: true },
  { refreshAhead: { beta: 0 }, background: () => {} },
  { refreshAhead: { beta: Number.NaN }, background: () => {} },
  { refreshAhead: 2 as never, background: () => {} },
  { refreshAhead: null as never, background: () => {} },
  { refreshAhead: true, background: () => {}, localTier: 'validated' },
  { jitter: -0.1 },
  { jitter: 1.1 },
  { jitter: 'some' as never },
  { random: 5 as never },
])('%j is INVALID_CONFIG', (options) => {
  expect(() => cache(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

function call() {
  return { deadlineAt: Number.POSITIVE_INFINITY }
}
