import { type AnyLayer, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  cache,
  createCache,
  type InvalidationBus,
  loaded,
  notModified,
  type ObjectCacheOptions,
  type PubSub,
  type StoreCacheOptions,
} from '../src/index.ts'
import { faultyStore } from './faulty-store.ts'
import { turn } from './gated-store.ts'

/** What nobody caught. */
let uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)

beforeEach(() => {
  uncaught = []
  process.prependListener('unhandledRejection', note)
  process.prependListener('uncaughtException', note)
})

afterEach(async () => {
  await turn()
  process.off('unhandledRejection', note)
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})

const wrong = {
  throws: (): never => {
    throw new Error('of the application')
  },
  rejects: (): Promise<never> => Promise.reject(new Error('of the application')),
  'never settles': () => new Promise<never>(() => {}),
  'returns nonsense': () => ({ no: 'sense' }),
  'returns nothing': () => undefined,
}

type Wrong = () => never

const ofObjectCache: Record<string, (fn: Wrong) => ObjectCacheOptions> = {
  share: (share) => ({ share }),
  sizeOf: (sizeOf) => ({ sizeOf }),
  clock: (clock) => ({ clock }),
  monotonicClock: (monotonicClock) => ({ monotonicClock, freshForMs: 1e6 }),
  'monotonicClock with a bus': (monotonicClock) => ({ monotonicClock, bus: busOf({}) }),
  random: (random) => ({ random, jitter: 0.5, freshForMs: 1e6 }),
  tags: (tags) => ({ tags }),
  background: (background) => ({ background, freshForMs: 0, staleWhileRevalidateMs: 1e6 }),
  policy: (use) => ({
    policy: () => ({ add: () => {}, use, remove: () => {}, victim: use }),
  }),
  'in.get': (get) => ({ in: { get, set: () => {}, delete: () => {} } }),
  'in.set': (set) => ({ in: { get: () => undefined, set, delete: () => {} } }),
  'in.delete': (fn) => ({ in: { get: () => undefined, set: () => {}, delete: fn } }),
  'bus.publish': (publish) => ({ bus: busOf({ publish }) }),
  'bus.close': (close) => ({ bus: busOf({ close }) }),
  'bus.tell': (tell) => ({ bus: memberOf({ tell }) }),
  'bus.ping': (ping) => ({ bus: memberOf({ ping }) }),
  'bus.leave': (leave) => ({ bus: memberOf({ leave }) }),
}

function busOf(own: { publish?: Wrong; close?: Wrong }): PubSub {
  return {
    name: 'own',
    connect: (events) => {
      events.up()
      return { publish: async () => {}, close: async () => {}, ...own }
    },
  }
}

function memberOf(own: { tell?: Wrong; ping?: Wrong; leave?: Wrong }): InvalidationBus {
  return {
    name: 'own',
    join: (listener) => {
      queueMicrotask(() => listener.up())
      return { tell: async () => {}, ping: async () => {}, leave: async () => {}, ...own }
    },
  }
}

const ofStoreCache: Record<string, (fn: Wrong) => Omit<StoreCacheOptions, 'store'>> = {
  clock: (clock) => ({ clock }),
  monotonicClock: (monotonicClock) => ({ monotonicClock }),
  random: (random) => ({ random, jitter: 0.5 }),
  'random of marks': (random) => ({ random, onWrite: 'through' }),
  tags: (tags) => ({ tags }),
  background: (background) => ({ background, freshForMs: 0, staleWhileRevalidateMs: 1e6 }),
}

/** What callers who are told no error are told: the value that the store holds. */
async function ask(kv: { get(key: string, settings: object): Promise<unknown> }): Promise<unknown> {
  return kv.get('a', { timeoutMs: 60 }).catch(() => ({ x: 1 }))
}

describe.each(Object.keys(wrong))('a function of the application that %s', (how) => {
  const fn = wrong[how as keyof typeof wrong] as Wrong

  test.each(Object.keys(ofObjectCache))('%s of cache()', async (option) => {
    const { store, inner } = faultyStore()
    await keyValue(inner, [json()]).set('a', { x: 1 })
    const kv = keyValue(store, [cache(ofObjectCache[option]?.(fn)), json()], { graceMs: 100 })
    const isOwnCopy = option === 'share' && how === 'returns nonsense'
    for (let i = 0; i < 3; i++) expect(await ask(kv)).toEqual(isOwnCopy && i > 0 ? { no: 'sense' } : { x: 1 })
    await turn()
    await kv.set('b', 2, { timeoutMs: 60 }).catch(() => {})
    await Promise.all([ask(kv), ask(kv), ask(kv)])
    await kv.close()
  })

  test.each(Object.keys(ofObjectCache))('%s of cache() that writes through', async (option) => {
    const { store, inner } = faultyStore()
    const near = cache({ ...ofObjectCache[option]?.(fn), onWrite: 'through' })
    const kv = keyValue(store, [near, json()], { graceMs: 100 })
    const written = kv.setMany([
      ['a', { x: 1 }],
      ['b', { x: 1 }],
    ])
    const isTold = await written.then(
      () => true,
      () => false,
    )
    expect(isTold).toBe((await keyValue(inner, [json()]).get('b')) !== undefined)
    await kv.close()
  })

  test('random of cache({ store }) that writes through', async () => {
    const { store, inner } = faultyStore()
    let draws = 0
    // The first is for the mark.
    const random = (): number => (draws++ === 0 ? 0 : fn())
    const near = cache({ store: memory(), random, jitter: 0.5, onWrite: 'through' })
    const kv = keyValue(store, [json(), near], { graceMs: 100 })
    await kv.set('a', 1)
    expect(await keyValue(inner, [json()]).get('a')).toBe(1)
    expect(draws).toBe(2)
    await kv.close()
  })

  test.each(Object.keys(ofStoreCache))('%s of cache({ store })', async (option) => {
    const { store, inner } = faultyStore()
    await keyValue(inner, [json()]).set('a', { x: 1 })
    const near = cache({ store: memory(), ...ofStoreCache[option]?.(fn) })
    const kv = keyValue(store, [json(), near], { graceMs: 100 })
    for (let i = 0; i < 3; i++) expect(await ask(kv)).toEqual({ x: 1 })
    await kv.set('b', 2, { timeoutMs: 60 }).catch(() => {})
    await kv.close()
  })

  test('a loader', async () => {
    for (const below of [undefined, { store: memory() }]) {
      const values = createCache<unknown>({ graceMs: 10, below })
      const first = values.cached('a', fn, { timeoutMs: 60 }).catch(() => 'failed')
      const second = values.cached('a', fn, { timeoutMs: 60 }).catch(() => 'failed')
      await Promise.all([first, second])
      await values.cached('a', () => 1, { timeoutMs: 60 }).catch(() => {})
      await values.close()
    }
  })
})

describe('a number of the application that fails in the middle of a call', () => {
  const numbers = { clock: Date.now, monotonicClock: () => performance.now(), random: () => 0.5 }
  const places: Record<string, Omit<StoreCacheOptions, 'store'> | undefined> = {
    'in this process': undefined,
    around: {},
    through: { onWrite: 'through', jitter: 0.5 },
    'without leases': { leases: false },
    consistent: { writes: 'consistent' },
  }

  test.each(Object.keys(places))('denies no write that the store has taken: cache %s', async (place) => {
    for (const [option, number] of Object.entries(numbers))
      for (let good = 0; good < 10; good++) {
        const { store, inner } = faultyStore()
        const below = keyValue(inner, [json()])
        let calls = 0
        const own = { [option]: () => (calls++ < good ? number() : wrong.throws()) }
        const layers: readonly AnyLayer[] =
          places[place] === undefined
            ? [cache({ ...own, onWrite: 'through', jitter: 0.5 }), json()]
            : [json(), cache({ store: memory(), ...places[place], ...own })]
        const kv = keyValue(store, layers)
        for (const value of [1, 2, 3]) {
          const isTold = await kv.set('a', value).then(
            () => true,
            () => false,
          )
          expect({ option, good, isTold }).toEqual({
            option,
            good,
            isTold: (await below.get('a')) === value,
          })
        }
        await kv.close()
      }
  })
})

test.each([{}, { store: memory() }])('work in the background never rejects: %#', async (where) => {
  const works: Promise<unknown>[] = []
  let isBroken = false
  const random = (): number => (isBroken ? wrong.throws() : 0.5)
  const background = (work: Promise<unknown>) => works.push(work)
  const own = { jitter: 0.5, random, freshForMs: 0, staleWhileRevalidateMs: 1e6, background }
  const near = cache({ ...own, ...where } as StoreCacheOptions)
  const { store } = faultyStore()
  const kv = keyValue(store, [cache({ freshForMs: 0 }), json(), near] as readonly AnyLayer[])
  await kv.set('a', 1)
  await kv.get('a')
  isBroken = true
  await kv.get('a')
  await Promise.all(works)
  await kv.close()
})

describe('a share function that fails on a hit', () => {
  test.each([{}, { staleIfErrorMs: 1e6 }, { staleIfErrorMs: 1e6, softTimeoutMs: 1 }])(
    'makes the entry as good as none: %j',
    async (options) => {
      let isBroken = false
      let now = 0
      const share = (value: unknown): unknown => {
        if (isBroken) throw new Error('share')
        return structuredClone(value)
      }
      const source = faultyStore()
      const near = cache({ share, freshForMs: 10, monotonicClock: () => now, ...options })
      const kv = keyValue(source.store, [near, json()])
      await kv.set('a', { x: 1 })
      await kv.get('a')
      isBroken = true
      expect(await kv.get('a')).toEqual({ x: 1 })
      isBroken = false
      await kv.get('a')
      isBroken = true
      now = 100
      source.state = 'down'
      await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    },
  )
})

describe('an expiry that never comes', () => {
  test.each([
    { ttlMs: Number.POSITIVE_INFINITY },
    { expiresAt: Number.POSITIVE_INFINITY },
    { expiresAt: 2 ** 50 },
    { ttlMs: Number.MAX_SAFE_INTEGER },
  ])('is kept in a second tier, too: %j', async (facts) => {
    const store = memory()
    const open = () => createCache<string>({ below: { store } })
    const first = open()
    expect(await first.cached('k', () => loaded('v', facts))).toBe('v')
    await first.put('p', 'v', facts)
    const second = open()
    expect(await Promise.all([second.get('k'), second.get('p')])).toEqual(['v', 'v'])
    await first.revalidate('k', () => loaded('w', { version: '1', ttlMs: 1e6 }))
    expect(await first.revalidate('k', () => notModified(facts))).toBe('w')
    const entry = await open().getEntry('k')
    expect(entry?.expiresAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(1e14)
  })
})
