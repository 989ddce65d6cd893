import { type Bytes, compose, type Entry, isEntry, json, keyValue, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { sync } from '@unikv/core/sync'
import { describe, expect, test } from 'vitest'
import { cache, type ObjectCacheOptions } from '../src/index.ts'
import { bytes, gated, put, textOf } from './gated-cache.ts'

/** What a cache bounded by bytes and entries holds. */
class LruModel {
  readonly #held = new Map<string, number>()
  readonly #maxBytes: number
  readonly #maxEntries: number
  bytes = 0

  constructor(maxBytes: number, maxEntries: number) {
    this.#maxBytes = maxBytes
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#held.size
  }

  remove(key: string): void {
    this.bytes -= this.#held.get(key) ?? 0
    this.#held.delete(key)
  }

  add(key: string, size: number): void {
    if (size > this.#maxBytes) return
    this.#held.set(key, size)
    this.bytes += size
    for (const oldest of this.#held.keys()) {
      if (this.bytes <= this.#maxBytes && this.size <= this.#maxEntries) return
      this.remove(oldest)
    }
  }
}

describe('a hit', () => {
  test('is the stored entry itself, without a promise, and names its tier', async () => {
    const stack = compose(memory(), [cache({ tier: 'near' }), json()])
    await keyValue(stack).set('a', { x: 1 })
    await stack.read([{ key: 'a' }], callOptions())
    const first = stack.read([{ key: 'a' }], callOptions()) as Entry<unknown>[]
    const second = stack.read([{ key: 'a' }], callOptions()) as Entry<unknown>[]
    expect(second[0]).toBe(first[0])
    expect(first[0]?.meta).toEqual({ tier: 'near' })
    expect(Object.isFrozen(first[0])).toBe(true)
  })

  test('looks at no clock unless the entry ends at some time', async () => {
    let looks = 0
    const clock = () => {
      looks++
      return 1_000
    }
    const kv = keyValue(
      memory({ clock: () => 1_000 }),
      [cache({ clock, monotonicClock: clock, freshForMs: Number.POSITIVE_INFINITY })],
      {
        clock: () => 1_000,
      },
    )
    await kv.set('a', bytes('1'))
    await kv.set('mortal', bytes('1'), { ttlMs: 50 })
    await kv.getMany(['a', 'mortal'])
    looks = 0
    for (let i = 0; i < 10; i++) await kv.get('a')
    expect(looks).toBe(0)
    await kv.get('mortal')
    // At both: the wall clock may be set back.
    expect(looks).toBe(2)
  })

  test('answers head and known versions without the body', async () => {
    const { store, stack } = gated()
    await put(store, 'a', '1')
    const read = stack.read([{ key: 'a' }], callOptions())
    await store.open()
    const [entry] = (await read) as [Entry<Bytes>]
    const { version, expiresAt } = entry
    const notModified = { notModified: true, version, expiresAt, meta: { tier: 'memory' } }
    expect(stack.read([{ key: 'a', head: true }], callOptions())).toEqual([notModified])
    expect(stack.read([{ key: 'a', ifNotVersion: version }], callOptions())).toEqual([notModified])
    const other = stack.read([{ key: 'a', ifNotVersion: 'f'.repeat(24) }], callOptions()) as Entry<Bytes>[]
    expect(textOf(other[0]?.value)).toBe('1')
    expect(store.reads).toHaveLength(1)
  })

  test('works without promises through the synchronous twin', async () => {
    const kv = keyValue(memory(), [cache(), json()])
    const now = sync(kv)
    now.set('a', { x: 1 })
    expect(now.get('a')).toEqual({ x: 1 })
    expect(now.get('a')).toBe(now.get('a'))
  })
})

describe('a batch', () => {
  test('asks only for what is not at hand', async () => {
    const { store, stack, c } = gated()
    for (const key of ['a', 'b', 'c']) await put(store, key, key)
    const kv = keyValue(stack)
    const first = kv.get('b')
    await store.open()
    await first
    const all = kv.getMany(['a', 'b', 'c', 'd'])
    await store.open()
    expect((await all).map(textOf)).toEqual(['a', 'b', 'c', undefined])
    expect(store.reads.map((reads) => reads.map(({ key }) => key))).toEqual([['b'], ['a', 'c', 'd']])
    expect(c.stats()).toMatchObject({ hits: 1, misses: 4, loads: 4 })
  })

  test('fails in those items alone whose load failed', async () => {
    const { store, stack } = gated()
    await put(store, 'a', 'a')
    const kv = keyValue(stack)
    const first = kv.get('a')
    await store.open()
    await first
    const some = stack.read([{ key: 'a' }, { key: 'b' }], callOptions())
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    const results = await some
    expect(isEntry(results[0])).toBe(true)
    expect(results[1]).toMatchObject({ code: 'UNAVAILABLE' })
    const none = expect(kv.getMany(['b', 'c'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    await none
  })
})

describe('bounds', () => {
  test('a value that is larger than the cache is not kept, and evicts nothing', async () => {
    const c = cache({ maxBytes: 2_000 })
    const kv = keyValue(memory(), [c])
    await kv.set('small', bytes('x'))
    await kv.get('small')
    await kv.set('large', Buffer.alloc(2_000))
    await kv.get('large')
    await kv.get('large')
    expect(c.stats()).toMatchObject({ entries: 1, evictions: 0, refusals: 2 })
  })

  test('bytes are accounted for exactly over many random operations, and never exceed the bound', () => {
    const maxBytes = 60_000
    const c = cache({ maxBytes, maxEntries: 100, policy: 'lru', sizeOf: (value) => (value as Bytes).length })
    const kv = sync(keyValue(memory(), [c]))
    const body = Buffer.alloc(70_000)
    const model = new LruModel(maxBytes, 100)
    let state = 1
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
    let largest = 0
    for (let i = 0; i < 60_000; i++) {
      const key = `k${random(200)}`
      const dice = random(10)
      if (dice < 3) kv.set(key, body.subarray(0, random(100) === 0 ? 60_000 + random(10_000) : random(2_000)))
      else if (dice < 4) kv.delete(key)
      if (dice < 4) model.remove(key)
      else {
        const value = kv.get(key)
        model.remove(key)
        if (value !== undefined) model.add(key, 272 + 16 + 8 * Math.ceil(key.length / 8) + value.length)
      }
      if (i % 1_000 !== 0) continue
      const { bytes: accounted, entries } = c.stats()
      expect({ accounted, entries }).toEqual({ accounted: model.bytes, entries: model.size })
      largest = Math.max(largest, model.bytes)
    }
    expect(largest).toBeLessThanOrEqual(maxBytes)
    expect(largest).toBeGreaterThan(maxBytes / 2)
  })

  test('a wrong answer of sizeOf keeps the value out', async () => {
    const c = cache({ sizeOf: () => Number.NaN })
    const kv = keyValue(memory(), [c])
    await kv.set('a', bytes('1'))
    expect(textOf(await kv.get('a'))).toBe('1')
    expect(c.stats()).toMatchObject({ entries: 0, refusals: 1 })
  })
})

describe('the handle', () => {
  test('forgets everything at once, what is under way included', async () => {
    const { store, stack, c } = gated()
    await put(store, 'a', 'old')
    const kv = keyValue(stack)
    const reading = kv.get('a')
    store.look()
    await put(store, 'a', 'new')
    c.clear()
    await store.open()
    expect(textOf(await reading)).toBe('old')
    expect(c.stats().entries).toBe(0)
  })

  test('may stand in several stacks, which share nothing but the counts', async () => {
    const c = cache()
    const one = keyValue(memory(), [c])
    const two = keyValue(memory(), [c])
    await one.set('a', bytes('1'))
    await two.set('a', bytes('2'))
    for (const kv of [one, two, one, two]) await kv.get('a')
    expect(textOf(await one.get('a'))).toBe('1')
    expect(c.stats()).toMatchObject({ entries: 2, hits: 3, misses: 2, hitRate: 0.6 })
    await one.close()
    expect(c.stats()).toMatchObject({ entries: 1 })
  })

  test.each<[ObjectCacheOptions, string]>([
    [{ maxEntries: 0 }, 'maxEntries'],
    [{ maxBytes: 1.5 }, 'maxBytes'],
    [{ share: 'clone' as never }, 'share'],
    [{ freshForMs: -1 }, 'freshForMs'],
    [{ keepForMs: Number.NaN }, 'keepForMs'],
    [{ absentForMs: '1' as never }, 'absentForMs'],
  ])('refuses %j', (options, name) => {
    expect(() => cache(options)).toThrow(name)
  })
})
