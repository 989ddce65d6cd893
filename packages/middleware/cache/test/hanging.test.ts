import { type AnyStore, codec, json, keyValue, text } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { pause } from '@unikv/core/platform'
import { describe, expect, test } from 'vitest'
import { cache, createCache, type PubSub, type StoreCacheOptions } from '../src/index.ts'
import type { Flight } from '../src/loads/flight.ts'
import { Flights } from '../src/loads/flights.ts'
import { LoadCall } from '../src/loads/load-call.ts'
import { faultyStore } from './faulty-store.ts'
import { turn } from './gated-store.ts'

const never = () => new Promise<never>(() => {})

describe('loads that never land', () => {
  const over = callOptions({ deadlineAt: performance.now() - 1 })

  test('are forgotten, however many there are', () => {
    const flights = new Flights()
    const keys = Array.from({ length: 10_000 }, (_, i) => `k${i}`)
    for (const key of keys) void flights.start([{ key }], new LoadCall(over), never)
    expect(keys.filter((key) => flights.isLoading(key)).length).toBeLessThan(2_000)
  })

  test('are not remembered by those that come after them', () => {
    const all: Flight[] = []
    const flights = new Flights()
    const work = (some: readonly Flight[]) => {
      all.push(...some)
      return never()
    }
    for (let i = 0; i < 1_000; i++) void flights.start([{ key: 'k' }], new LoadCall(over), work)
    all.at(-1)?.answered()
    expect(all.filter(({ followed }) => !followed).length).toBeLessThan(100)
  })
})

describe('a codec that hangs', () => {
  test.each([{ timeoutMs: 20 }, { graceMs: 20 }])('holds up no key and no close: %j', async (options) => {
    const hung = codec<unknown>({ name: 'hung', encode: never, decode: never })
    const values = createCache<unknown>({ ...options, below: { store: memory(), codec: hung } })
    const code = options.timeoutMs === undefined ? 'CLOSED' : 'TIMEOUT'
    const put = expect(values.put('a', 1)).rejects.toMatchObject({ code })
    const next = values.invalidate('a')
    if (options.timeoutMs === undefined) await values.close()
    await Promise.all([put, next])
    await values.close()
  })
})

describe('a cache store that hangs', () => {
  test.each([true, false])(
    'leaves each call the time for the store itself, with leases: %s',
    async (leases) => {
      const tier = faultyStore()
      const near = cache({ store: tier.store, leases, timeoutMs: 3_600_000 })
      const kv = keyValue(faultyStore().store, [text(), near])
      await kv.set('a', 'x')
      tier.state = 'hangs'
      await kv.set('a', 'y', { timeoutMs: 2_000 })
      expect(await kv.get('a', { timeoutMs: 2_000 })).toBe('y')
      expect(await kv.getMany(['a', 'b'], { timeoutMs: 2_000 })).toEqual(['y', undefined])
      expect(near.stats().unmarkedWrites).toBe(1)
      await kv.close()
    },
  )

  test('is waited for once by a write, and not again by its later steps', async () => {
    const tier = faultyStore()
    const kv = keyValue(faultyStore().store, [text(), cache({ store: tier.store, timeoutMs: 400 })])
    await kv.set('a', 'x')
    tier.state = 'hangs'
    const startedAt = performance.now()
    await kv.set('a', 'y')
    const onceMs = performance.now() - startedAt
    expect(onceMs).toBeGreaterThan(399)
    tier.state = 'up'
    // Whatever became of the mark: what this process wrote is what it reads.
    expect(await kv.get('a')).toBe('y')
    await kv.close()
  })

  test('holds up no stack that is closed', async () => {
    const tier = faultyStore()
    const store = { ...tier.store, close: never }
    const kv = keyValue(memory(), [text(), cache({ store })], { graceMs: 10 })
    await kv.close()
  })
})

describe('a bus that hangs', () => {
  const hung: PubSub = {
    name: 'hung',
    connect: (events) => {
      events.up()
      return { publish: never, close: never }
    },
  }

  test('makes no write unknown, and holds up nobody who closes', async () => {
    const { store, inner } = faultyStore()
    const near = cache({ bus: hung })
    const kv = keyValue(store, [near, json()])
    expect(await kv.set('a', 1, { timeoutMs: 300 })).toHaveProperty('version')
    expect(await keyValue(inner, [json()]).get('a')).toBe(1)
    expect(near.stats().bus?.untold).toBe(1)
    await kv.close()
    await createCache({ bus: hung }).close()
  })
})

describe('a store that hangs', () => {
  test.each<[string, { readonly store?: AnyStore }]>([
    ['this process', {}],
    ['a store', { store: memory() }],
  ])('is answered for from %s before the call ends, as staleIfErrorMs allows', async (_where, where) => {
    let now = Date.now()
    const clock = () => now
    const source = faultyStore()
    const kept = { freshForMs: 10, staleIfErrorMs: 60_000, clock, monotonicClock: clock }
    const kv = keyValue(source.store, [text(), cache({ ...kept, ...where } as StoreCacheOptions)], {
      timeoutMs: 800,
    })
    await kv.set('a', 'x')
    await kv.get('a')
    now += 10
    source.state = 'hangs'
    // Together they are one batch.
    const [a, b] = await Promise.allSettled([kv.getEntry('a'), kv.getEntry('b')])
    expect(a).toMatchObject({ value: { value: 'x', meta: { stale: true } } })
    expect(b).toMatchObject({ reason: { code: 'TIMEOUT' } })
    await kv.close()
  })

  test('is answered for from a cache of the application, too', async () => {
    let now = 0
    const texts = createCache<string>({ freshForMs: 10, staleIfErrorMs: 60_000, monotonicClock: () => now })
    await texts.cached('a', async () => 'x')
    now += 10
    expect(await texts.cached('a', never, { timeoutMs: 800 })).toBe('x')
  })
})

describe('a renewal that never ends', () => {
  const ahead = { refreshAhead: { beta: 1e12 }, random: () => 0.9 }
  test.each<[string, Partial<StoreCacheOptions>]>([
    ['of an entry that is stale', { freshForMs: 1, staleWhileRevalidateMs: 60_000 }],
    ['of an entry that is still fresh', ahead],
    ['of a record that is still fresh', { ...ahead, store: memory() }],
  ])('%s is followed by another one', async (_which, options) => {
    const source = faultyStore()
    const layer = cache({ background: () => {}, ...options } as StoreCacheOptions)
    const kv = keyValue(source.store, [text(), layer], { timeoutMs: 300 })
    await kv.set('a', 'x')
    await kv.get('a')
    await keyValue(source.inner, [text()]).set('a', 'y')
    await pause(2)
    source.state = 'hangs'
    expect(await kv.get('a')).toBe('x')
    await turn()
    source.state = 'up'
    await expect.poll(() => kv.get('a'), { timeout: 10_000 }).toBe('y')
    await kv.close()
  })
})

describe('a request that is lost', () => {
  test('of a patient caller leaves the key readable for all others', async () => {
    const source = faultyStore()
    const kv = keyValue(source.store, [cache(), json()])
    await kv.set('a', 1)
    source.state = 'hangs'
    void kv.get('a', { timeoutMs: 60_000 }).catch(() => {})
    await turn()
    source.state = 'up'
    const others = Array.from({ length: 20 }, () => kv.get('a', { timeoutMs: 1_000 }))
    expect(await Promise.all(others)).toEqual(others.map(() => 1))
    // One of them loaded, and the others joined that.
    expect(source.calls).toBe(3)
  })

  test('is waited for no longer than joinMs', async () => {
    const source = faultyStore()
    const kv = keyValue(source.store, [cache({ joinMs: 1 }), json()])
    await kv.set('a', 1)
    source.state = 'hangs'
    void kv.get('a', { timeoutMs: 60_000 }).catch(() => {})
    await turn()
    source.state = 'up'
    expect(await kv.get('a', { timeoutMs: 60_000 })).toBe(1)
  })

  test('of a loader, too', async () => {
    const numbers = createCache<number>()
    void numbers.cached('a', never, { timeoutMs: 60_000 }).catch(() => {})
    expect(await numbers.cached('a', async () => 1, { timeoutMs: 1_000 })).toBe(1)
    expect(numbers.peek('a')).toBe(1)
  })

  test.each([-1, Number.NaN, '5'])('joinMs: %s is refused', (joinMs) => {
    const code = 'INVALID_CONFIG'
    const options = { joinMs: joinMs as number }
    expect(() => cache(options)).toThrow(expect.objectContaining({ code }) as Error)
    expect(() => cache({ store: memory(), ...options })).toThrow(expect.objectContaining({ code }) as Error)
  })
})
