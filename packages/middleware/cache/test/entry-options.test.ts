import { testClock } from '@unikv/conformance'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import {
  type CacheOptions,
  cache,
  createCache,
  loaded,
  notModified,
  type ObjectCacheOptions,
} from '../src/index.ts'
import { turn } from './gated-store.ts'

interface Price {
  readonly cents: number
  readonly isDraft?: boolean
}

/** A stack whose cache has these options, over a store that others write behind its back. */
function prices(options: ObjectCacheOptions) {
  const clock = testClock(1_000)
  const near = cache({ clock, monotonicClock: clock, ...options })
  const source = memory({ clock })
  const kv = keyValue(source, [near, json<Price>()], { clock })
  return { clock, near, kv, behind: keyValue(source, [json<Price>()], { clock }) }
}

function explicit(options: CacheOptions<Price>) {
  const clock = testClock(1_000)
  return { clock, kept: createCache<Price>({ clock, monotonicClock: clock, ...options }) }
}

const price = (cents: number) => async (): Promise<Price> => ({ cents })

describe('keepIf', () => {
  test('says which entries are kept; what it refuses takes the place of nothing', async () => {
    const { near, kv, behind } = prices({ keepIf: (key, value) => key !== 'x' && !(value as Price).isDraft })
    await behind.setMany([
      ['a', { cents: 1 }],
      ['b', { cents: 1, isDraft: true }],
      ['x', { cents: 1 }],
    ])
    for (let i = 0; i < 2; i++) await kv.namespace('n').set('a', { cents: 1 })
    await kv.getMany(['a', 'b', 'x'])
    await kv.getMany(['a', 'b', 'x'])
    expect(near.stats()).toMatchObject({ hits: 1, misses: 5, entries: 1, refusals: 0 })
    await behind.set('a', { cents: 2, isDraft: true })
    expect(await kv.get('a', { consistency: 'strong' })).toMatchObject({ cents: 2 })
    expect(near.stats().entries).toBe(0)
  })

  test('is asked about absence, with undefined', async () => {
    const { near, kv } = prices({ absentForMs: 1_000, keepIf: (_key, value) => value !== undefined })
    await kv.get('a')
    await kv.get('a')
    expect(near.stats()).toMatchObject({ hits: 0, entries: 0 })
  })
})

describe('freshForMs as a function', () => {
  test('says for each entry how long it is fresh; keys come without their namespaces', async () => {
    const asked: string[] = []
    const { clock, kv, behind } = prices({
      freshForMs: (key, value) => {
        asked.push(key)
        return (value as Price).cents > 100 ? 10 : 100
      },
    })
    for (const one of [kv.namespace('n'), behind.namespace('n')]) await one.set('dear', { cents: 500 })
    await behind.namespace('n').set('cheap', { cents: 5 })
    const read = () => kv.namespace('n').getMany(['dear', 'cheap'])
    await read()
    await behind.namespace('n').set('dear', { cents: 600 })
    await behind.namespace('n').set('cheap', { cents: 6 })
    clock.advance(10)
    expect(await read()).toEqual([{ cents: 600 }, { cents: 5 }])
    clock.advance(90)
    expect(await read()).toEqual([{ cents: 600 }, { cents: 6 }])
    expect(new Set(asked)).toEqual(new Set(['dear', 'cheap']))
  })

  test('is not asked where the call or the loader says it', async () => {
    const { clock, kept } = explicit({ freshForMs: () => 10 })
    await kept.cached('a', price(1), { freshForMs: 100 })
    await kept.cached('b', async () => loaded<Price>({ cents: 1 }, { freshForMs: 100 }))
    await kept.cached('c', price(1))
    clock.advance(50)
    expect([kept.peek('a'), kept.peek('b'), kept.peek('c')]).toEqual([{ cents: 1 }, { cents: 1 }, undefined])
  })
})

describe('idleForMs', () => {
  test('ends what nobody reads; each hit begins it anew, and prolongs nothing', async () => {
    const { clock, near, kv } = prices({ idleForMs: 100, freshForMs: 250 })
    await kv.set('a', { cents: 1 })
    await kv.get('a')
    for (const ms of [90, 90]) {
      clock.advance(ms)
      await kv.get('a')
    }
    expect(near.stats()).toMatchObject({ hits: 2, misses: 1 })
    clock.advance(90)
    await kv.get('a')
    expect(near.stats()).toMatchObject({ hits: 2, misses: 2, staleHits: 1 })
    clock.advance(100)
    await kv.get('a')
    expect(near.stats()).toMatchObject({ hits: 2, misses: 3, expirations: 1 })
  })

  test('counts readers of stale answers too', async () => {
    const { clock, kept } = explicit({ idleForMs: 100, freshForMs: 50, staleIfErrorMs: 1_000 })
    await kept.cached('a', price(1))
    for (let n = 0; n < 5; n++) {
      clock.advance(60)
      expect(await kept.cached('a', () => Promise.reject(new Error('down')))).toEqual({ cents: 1 })
    }
  })

  test('stands in for no store that fails', async () => {
    const { clock, kept } = explicit({ idleForMs: 100, freshForMs: 50, staleIfErrorMs: 1_000 })
    await kept.cached('a', price(1))
    const failing = () => Promise.reject(new Error('down'))
    clock.advance(60)
    expect(await kept.cached('a', failing)).toEqual({ cents: 1 })
    clock.advance(100)
    await expect(kept.cached('a', failing)).rejects.toThrow('down')
  })
})

describe('onRemove', () => {
  test('is told once of each entry that is gone, and why', async () => {
    const gone: string[] = []
    const { clock, kept } = explicit({
      maxEntries: 2,
      policy: 'lru',
      keepForMs: 0,
      onRemove: (key, value, cause) => {
        gone.push(`${key}:${value?.cents} ${cause}`)
        throw new Error('its own affair')
      },
    })
    for (const key of ['a', 'b', 'c']) await kept.cached(key, price(1))
    await kept.put('b', { cents: 2 })
    await kept.invalidate('b')
    clock.advance(60_000)
    await kept.cached('c', price(2))
    kept.clear()
    await turn()
    expect(gone).toEqual(['a:1 evicted', 'b:1 removed', 'b:2 removed', 'c:1 expired', 'c:2 removed'])
  })

  test('is not told where the very same value is kept anew', async () => {
    const gone: string[] = []
    const { clock, kept } = explicit({
      freshForMs: 10,
      onRemove: (key, _value, cause) => gone.push(key + cause),
    })
    await kept.cached('a', () => loaded<Price>({ cents: 1 }, { version: 'v1' }))
    await kept.expire('a')
    clock.advance(10)
    await kept.cached('a', () => notModified())
    await turn()
    expect(gone).toEqual([])
  })

  test('is told of a number that an equal one follows, and not where the same one is kept anew', async () => {
    const gone: string[] = []
    const clock = testClock(1_000)
    const onRemove = (key: string, value: number | undefined, cause: string) =>
      void gone.push(`${key}:${value} ${cause}`)
    const kept = createCache<number>({ clock, monotonicClock: clock, freshForMs: 10, onRemove })
    await kept.cached('a', () => 1)
    clock.advance(10)
    await kept.cached('a', () => 1)
    await kept.revalidate('a', () => 1)
    await turn()
    expect(gone).toEqual(['a:1 expired', 'a:1 replaced'])
    await kept.put('b', Number.NaN, { version: 'v1' })
    clock.advance(10)
    await kept.cached('b', () => notModified())
    await kept.expire('b')
    await turn()
    expect(gone).toHaveLength(2)
  })

  test('may call the cache again', async () => {
    const again: (Price | undefined)[] = []
    const { kept } = explicit({ onRemove: async (key) => again.push(await kept.get(key)) })
    await kept.put('a', { cents: 1 })
    await kept.invalidate('a')
    await turn()
    expect(again).toEqual([undefined])
  })
})

test.each([
  [{ keepIf: 'yes' }, /keepIf.*must be a function/],
  [{ onRemove: 1 }, /onRemove.*must be a function/],
  [{ idleForMs: 0 }, /idleForMs/],
  [{ in: new Map(), onRemove: () => {} }, /onRemove and in cannot be combined/],
  [{ localTier: 'validated', freshForMs: () => 1 }, /validated/],
])('%j is refused', (options, message) => {
  expect(() => cache(options as never)).toThrow(message)
})

test.each(['throws', 'promise', 'NaN', '-1', 'text'])(
  'a function that answers nonsense (%s) lets the value be answered and not kept',
  async (how) => {
    const nonsense = (): never => {
      if (how === 'throws') throw new Error('nonsense')
      if (how === 'promise') return Promise.reject(new Error('nonsense')) as never
      return ({ NaN: Number.NaN, '-1': -1 }[how] ?? how) as never
    }
    const { kept } = explicit({ freshForMs: nonsense })
    expect(await kept.cached('a', price(1))).toEqual({ cents: 1 })
    expect(kept.peek('a')).toBeUndefined()
    expect(kept.stats().refusals).toBe(1)
    const picky = explicit({ keepIf: nonsense }).kept
    expect(await picky.cached('a', price(1))).toEqual({ cents: 1 })
    expect(picky.peek('a')).toBeUndefined()
    expect(picky.stats().refusals).toBe(1)
  },
)
