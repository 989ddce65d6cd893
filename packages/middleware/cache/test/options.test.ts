import { json } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { cache, createCache } from '../src/index.ts'

const infinite = Number.POSITIVE_INFINITY
const ahead = { refreshAhead: true, background: () => {} }
const store = memory()
const inMemory = (options: object) => cache(options as never)
const inStore = (options: object) => cache({ store, ...options } as never)
const warm = (options: object) => cache({ warm: { store, ...options } } as never)

type Case = [name: string, make: (options: object) => unknown, options: object, message: string]

test.each<Case>([
  ['cache', inMemory, { softTimeoutMs: 20 }, 'softTimeoutMs needs staleIfErrorMs'],
  ['a cache in a store', inStore, { softTimeoutMs: 20 }, 'softTimeoutMs needs staleIfErrorMs'],
  ['createCache', createCache, { softTimeoutMs: 20 }, 'softTimeoutMs needs staleIfErrorMs'],
  ['cache', inMemory, { maxStaleMs: 1_000 }, 'maxStaleMs needs bus'],
  ['createCache', createCache, { maxStaleMs: 500 }, 'maxStaleMs needs bus'],
  ['cache', inMemory, { ...ahead, freshForMs: infinite }, 'refreshAhead needs a finite freshForMs'],
  [
    'a cache in a store',
    inStore,
    { ...ahead, freshForMs: infinite },
    'refreshAhead needs a finite freshForMs',
  ],
  ['cache', inMemory, { jitter: 0.1, freshForMs: infinite }, 'jitter needs a finite freshForMs'],
  ['cache', inMemory, { cost: 'bytes' }, "cost: 'bytes' needs policy: 'gdsf'"],
  ['cache', inMemory, { cost: 'bytes', in: new Map() }, 'cost and in cannot be combined'],
  ['cache', inMemory, { sizeOf: 5 }, '`sizeOf` of cache() must be a function'],
  ['cache', inMemory, { tier: 5 }, '`tier` of cache() must be a non-empty, well-formed string; got a number'],
  [
    'a cache in a store',
    inStore,
    { tier: '' },
    '`tier` of cache() must be a non-empty, well-formed string; got an empty one',
  ],
  [
    'a cache in a store',
    inStore,
    { namespace: 5 },
    '`namespace` of cache() must be a non-empty, well-formed string; got a number',
  ],
  [
    'a cache in a store',
    inStore,
    { plaintext: 'yes' },
    "`plaintext` of cache() must be 'allowed', or left out; got another string",
  ],
  ['cache', inMemory, { bus: 'yes' }, 'bus must be an invalidation bus'],
  ['warm', warm, { namespace: 5 }, '`namespace` of warm of cache() must be a non-empty, well-formed string'],
  ['warm', warm, { plaintext: 'yes' }, "`plaintext` of warm of cache() must be 'allowed', or left out"],
])('%s refuses what it would ignore: %$', (_, make, options, message) => {
  const expected = { code: 'INVALID_CONFIG', message: expect.stringContaining(message) }
  expect(() => make(options)).toThrow(expect.objectContaining(expected))
})

test.each<Case>([
  ['cache', inMemory, { softTimeoutMs: infinite, staleIfErrorMs: 0 }, 'is the default'],
  ['cache', inMemory, { cost: 'same' }, 'is the default'],
  ['cache', inMemory, { ...ahead, freshForMs: infinite, absentForMs: 100 }, 'renews what is absent'],
  ['cache', inMemory, { ...ahead, freshForMs: () => infinite }, 'may be finite'],
  ['createCache', createCache, { ...ahead, freshForMs: infinite }, 'calls may say a finite time'],
])('%s takes what has a meaning: %$', (_, make, options) => {
  make(options)
})

test.each<Case>([
  ['cache', inMemory, { maxEntries: null }, '`maxEntries` of cache()'],
  ['a cache in a store', inStore, { freshForMs: null }, '`freshForMs` of cache()'],
  ['createCache', createCache, { share: null }, '`share` of createCache()'],
  ['a second tier', createCache, { below: null }, '`below` of createCache()'],
  [
    'the options of a second tier',
    createCache,
    { below: { store, codec: null } },
    '`codec` of below of createCache()',
  ],
  ['a warm restart', inMemory, { warm: { store, maxBytes: null } }, '`maxBytes` of warm of cache()'],
])('%s does not take null for an option that was left away: %$', (_, make, options, message) => {
  const expected = { code: 'INVALID_CONFIG', message: expect.stringContaining(message) }
  expect(() => make(options)).toThrow(expect.objectContaining(expected))
})

test.each<Case>([
  ['a list is no bus', inMemory, { bus: [] }, 'bus must be an invalidation bus'],
  ['nor is what has no name', inMemory, { bus: { join: () => {} } }, 'bus must be an invalidation bus'],
  ['a symbol is no time', inStore, { freshForMs: Symbol('a') }, 'freshForMs must be a number'],
  ['a number is no codec', inMemory, { warm: { store, codec: 5 } }, 'codec must be a codec'],
  ['nor is what makes one', inMemory, { warm: { store, codec: json } }, 'codec must be a codec'],
  [
    'a number is no uptime',
    inMemory,
    { warm: { store, uptime: 5 } },
    '`uptime` of warm of cache() must be a function',
  ],
])('%s, which a message says', (_, make, options, message) => {
  const expected = { code: 'INVALID_CONFIG', message: expect.stringContaining(message) }
  expect(() => make(options)).toThrow(expect.objectContaining(expected))
})

test.each([1, -1, Number.NaN])('nothing is kept by a random number of %s', async (share) => {
  const numbers = createCache<number>({ jitter: 0.5, random: () => share })
  expect(await numbers.cached('a', () => 1)).toBe(1)
  expect(numbers.stats()).toMatchObject({ entries: 0, refusals: 1 })
})

test.each([null, {}, 'redis'])('%j is no store, which a message says', (store) => {
  const misfit = { store } as never
  for (const make of [() => cache(misfit), () => createCache({ below: misfit })])
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test.each([undefined, null, {}, { key: 'a' }])('wrap refuses %j', (settings) => {
  const wrap = () => createCache().wrap(() => 1, settings as never)
  expect(wrap).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
})
