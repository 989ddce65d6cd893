import { testClock } from '@unikv/conformance'
import { StoreError } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { type CacheOptions, createCache, loaded, notModified } from '../src/index.ts'
import { gatedLoader } from './gated-loader.ts'
import { turn } from './gated-store.ts'

/** A cache with `a: 1`, of version v1 and fresh for 100 ms. */
async function aged(options: CacheOptions<number> = {}) {
  const clock = testClock(1_000)
  const numbers = createCache<number>({ freshForMs: 100, clock, monotonicClock: clock, ...options })
  await numbers.cached('a', () => loaded(1, { version: 'v1' }))
  return { clock, numbers, gate: gatedLoader<number>() }
}

const never = (): never => {
  throw new Error('nothing was to be loaded')
}

describe('an entry that is no longer fresh', () => {
  test('is no answer of get, getEntry and peek; the loader is told its version', async () => {
    const { clock, numbers, gate } = await aged()
    expect(await numbers.getEntry('a')).toMatchObject({ value: 1, version: 'v1', meta: { tier: 'memory' } })
    clock.advance(100)
    expect(await numbers.get('a')).toBeUndefined()
    expect(await numbers.getEntry('a')).toBeUndefined()
    expect(numbers.peek('a')).toBeUndefined()
    const got = numbers.cached('a', gate.load)
    await turn()
    expect(gate.contexts[0]?.ifNotVersion).toBe('v1')
    await gate.answer(loaded(2, { version: 'v2' }))
    expect(await got).toBe(2)
  })

  test.each(['get', 'getEntry', 'peek'] as const)('goes when %s finds it ended for good', async (look) => {
    const told: unknown[] = []
    const { clock, numbers } = await aged({
      idleForMs: 50,
      onRemove: (...removed) => void told.push(removed),
    })
    clock.advance(60)
    expect(await numbers[look]('a')).toBeUndefined()
    await numbers.put('b', 2, { ttlMs: 10 })
    clock.advance(20)
    expect(await numbers[look]('b')).toBeUndefined()
    expect(numbers.stats()).toMatchObject({ entries: 0, expirations: 2, misses: 3 })
    await turn()
    expect(told).toEqual([
      ['a', 1, 'expired'],
      ['b', 2, 'expired'],
    ])
  })

  test('is fresh again when the loader answers notModified, for as long as that says', async () => {
    const { clock, numbers } = await aged()
    clock.advance(100)
    expect(await numbers.cached('a', () => notModified({ freshForMs: 1_000 }))).toBe(1)
    clock.advance(999)
    expect(await numbers.cached('a', never)).toBe(1)
    clock.advance(1)
    expect(await numbers.cached('a', () => notModified())).toBe(1)
    clock.advance(99)
    expect(await numbers.getEntry('a')).toMatchObject({ value: 1, version: 'v1' })
    expect(numbers.stats()).toMatchObject({ loads: 3, revalidations: 2 })
  })

  test('keeps its expiry with notModified, unless that says another', async () => {
    const { clock, numbers } = await aged()
    await numbers.put('a', 1, { version: 'v1', expiresAt: 1_500 })
    clock.advance(100)
    await numbers.cached('a', () => notModified())
    expect(await numbers.getEntry('a')).toMatchObject({ expiresAt: 1_500 })
    clock.advance(100)
    await numbers.cached('a', () => notModified({ ttlMs: 1_000 }))
    expect(await numbers.getEntry('a')).toMatchObject({ expiresAt: 2_200 })
  })

  test('is no answer to notModified where nothing was kept: that is an error, told to all', async () => {
    const { numbers } = await aged()
    const both = [numbers.cached('b', async () => notModified()), numbers.cached('b', never)]
    for (const one of both) await expect(one).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

describe('how long it is fresh', () => {
  test('is said by the call, or by the loader, which goes before', async () => {
    const { clock, numbers } = await aged()
    await numbers.cached('b', () => 2, { freshForMs: 500 })
    await numbers.cached('c', () => loaded(3, { freshForMs: 50 }), { freshForMs: 500 })
    await numbers.put('d', 4, { freshForMs: 700 })
    clock.advance(50)
    expect([numbers.peek('a'), numbers.peek('b'), numbers.peek('c'), numbers.peek('d')]).toEqual([
      1,
      2,
      undefined,
      4,
    ])
    clock.advance(450)
    expect([numbers.peek('a'), numbers.peek('b'), numbers.peek('d')]).toEqual([undefined, undefined, 4])
  })

  test('ends with its own expiry, and what has expired on its way is absent', async () => {
    const { clock, numbers } = await aged()
    await numbers.cached('b', () => loaded(2, { ttlMs: 30 }))
    await numbers.put('c', 3, { ttlMs: 30 })
    expect(await numbers.getEntry('b')).toMatchObject({ value: 2, expiresAt: 1_030 })
    clock.advance(30)
    expect([numbers.peek('b'), numbers.peek('c')]).toEqual([undefined, undefined])
    expect(await numbers.cached('d', () => loaded(4, { expiresAt: 1_030 }))).toBeUndefined()
  })

  test.each([
    { version: '' },
    { version: 7 as never },
    { ttlMs: 0 },
    { expiresAt: Number.NaN },
    { ttlMs: 1, expiresAt: 1 },
    { freshForMs: -1 },
  ])('%j is no fact of a value', async (facts) => {
    const { numbers } = await aged()
    await expect(numbers.put('b', 1, facts)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(numbers.cached('b', () => loaded(1, facts))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})

describe('stale on purpose', () => {
  test.each<[string, unknown, CacheOptions<number>, unknown]>([
    ['any error of the driver', new Error('down'), {}, 1],
    ['what is no error at all', undefined, {}, 1],
    [
      'an error that staleOn names',
      new Error('ECONNRESET'),
      { staleOn: (error) => /ECONN/.test(String(error)) },
      1,
    ],
    [
      'no error that staleOn does not name',
      new Error('syntax'),
      { staleOn: (error) => /ECONN/.test(String(error)) },
      'syntax',
    ],
    ['no error where staleOn itself throws', new Error('first'), { staleOn: never }, 'first'],
    [
      'a StoreError of a store that is down',
      new StoreError('UNAVAILABLE', 'down'),
      { staleOn: () => false },
      1,
    ],
    ['no StoreError for good', new StoreError('ACCESS_DENIED', 'no'), { staleOn: () => true }, 'no'],
  ])('stands in for %s', async (_what, error, options, expected) => {
    const { clock, numbers } = await aged({ staleIfErrorMs: 500, ...options })
    clock.advance(100)
    const got = await numbers
      .cached('a', () => Promise.reject(error as Error))
      .catch((told: Error) => {
        expect(told).toBe(error)
        return told.message
      })
    expect(got).toBe(expected)
    expect(numbers.stats().staleAnswers).toBe(expected === 1 ? 1 : 0)
  })

  test('is not what was invalidated, nor what revalidate finds', async () => {
    const { clock, numbers } = await aged({
      staleIfErrorMs: 500,
      staleWhileRevalidateMs: 500,
      background: () => {},
    })
    clock.advance(100)
    const down = (): Promise<never> => Promise.reject(new Error('down'))
    await expect(numbers.revalidate('a', down)).rejects.toThrow('down')
    await numbers.invalidate('a')
    await expect(numbers.cached('a', down)).rejects.toThrow('down')
  })
})

describe('revalidate', () => {
  test('asks again although it is fresh, with its version, and keeps what comes', async () => {
    const { numbers, gate } = await aged()
    const got = numbers.revalidate('a', gate.load)
    await turn()
    expect(gate.contexts[0]?.ifNotVersion).toBe('v1')
    await gate.answer(loaded(2, { version: 'v2' }))
    expect(await got).toBe(2)
    expect(await numbers.getEntry('a')).toMatchObject({ value: 2, version: 'v2' })
  })

  test('loads no body that is not modified', async () => {
    const { clock, numbers } = await aged()
    clock.advance(90)
    expect(await numbers.revalidate('a', () => notModified())).toBe(1)
    clock.advance(90)
    expect(numbers.peek('a')).toBe(1)
    expect(numbers.stats().revalidations).toBe(1)
  })

  test('joins no load that is under way, and what that brings later is not kept', async () => {
    const { numbers } = await aged()
    const [earlier, later] = [gatedLoader<number>(), gatedLoader<number>()]
    const first = numbers.cached('b', earlier.load)
    await turn()
    const second = numbers.revalidate('b', later.load)
    await turn()
    await later.answer(2)
    await earlier.answer(1)
    expect(await Promise.all([first, second])).toEqual([1, 2])
    expect(numbers.peek('b')).toBe(2)
  })

  test('of what is absent forgets what was kept', async () => {
    const { numbers } = await aged()
    expect(await numbers.revalidate('a', () => undefined)).toBeUndefined()
    expect(numbers.peek('a')).toBeUndefined()
  })
})
