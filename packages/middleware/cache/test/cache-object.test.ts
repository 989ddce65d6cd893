import { conformance, testClock, topicsOfValues } from '@unikv/conformance'
import { compose, json, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { LRUCache } from 'lru-cache'
import { describe, expect, test } from 'vitest'
import { type Cached, type CacheObject, cache } from '../src/index.ts'

const objects: Readonly<Record<string, () => CacheObject>> = {
  'an LRUCache': () => new LRUCache<string, Cached>({ max: 500 }),
  'an LRUCache that is too small': () => new LRUCache<string, Cached>({ max: 1 }),
}

const clock = testClock()

describe.each(Object.keys(objects))('values in %s', async (name) => {
  const open = () =>
    compose(memory({ clock }), [
      cache({ clock, in: objects[name]?.() as CacheObject }),
      json(),
    ]) as unknown as Store<unknown>
  const value = (n: number): unknown => ({ name: `person ${n}`, tags: [n, { at: null }] })
  const topics = name === 'an LRUCache' ? topicsOfValues : /^(read and write|batches$|races)/
  await conformance<unknown>({ test, describe, clock, value, open, topics })
})

describe('a cache in an object', () => {
  test('serves hits of frozen values, and the object decides who makes room', async () => {
    const near = cache({ in: new LRUCache<string, Cached>({ max: 2 }) })
    const kv = keyValue(memory(), [near, json()])
    for (const key of ['a', 'b', 'c']) await kv.set(key, { key })
    for (const key of ['a', 'b', 'c', 'c', 'b', 'a']) await kv.get(key)
    expect(near.stats()).toMatchObject({ hits: 2, misses: 4, entries: 2 })
    expect(Object.isFrozen(await kv.get('a'))).toBe(true)
    await kv.set('a', { key: 'new' })
    expect(await kv.get('a')).toEqual({ key: 'new' })
  })

  test('is fresh for as long as the cache says, whatever the object keeps', async () => {
    let now = 0
    const store = memory()
    const near = cache({ in: new Map<string, unknown>(), freshForMs: 100, monotonicClock: () => now })
    const kv = keyValue(store, [near, json()])
    const behind = keyValue(store, [json()])
    await kv.set('a', 1)
    expect(await kv.get('a')).toBe(1)
    await behind.set('a', 2)
    expect(await kv.get('a')).toBe(1)
    now += 101
    expect(await kv.get('a')).toBe(2)
  })

  test('forgets all at once, keeps apart from others in the same object, and leaves their things alone', async () => {
    const shared = new Map<string, unknown>([['mine', 5]])
    const near = cache({ in: shared })
    const [one, other] = [near, cache({ in: shared })].map((layer) => keyValue(memory(), [layer, json()]))
    await one?.set('k', 'of one')
    await other?.set('k', 'of other')
    for (let i = 0; i < 3; i++)
      expect([await one?.get('k'), await other?.get('k')]).toEqual(['of one', 'of other'])
    expect(shared.get('mine')).toBe(5)
    await one?.get('k')
    const { hits } = near.stats()
    near.clear()
    await one?.get('k')
    expect(near.stats().hits).toBe(hits)
  })

  test('voids by tags, and keeps no value in place of one that the object refuses', async () => {
    const near = cache({
      in: new LRUCache<string, Cached>({ max: 9, maxEntrySize: 600, sizeCalculation: ({ bytes }) => bytes }),
      onWrite: 'through',
      tags: () => ['all'],
    })
    const kv = keyValue(memory(), [near, json()])
    await kv.set('a', 'small')
    await kv.set('a', 'x'.repeat(1_000))
    expect(await kv.get('a')).toHaveLength(1_000)
    await kv.set('b', 'small')
    await kv.get('b')
    const { misses } = near.stats()
    await near.invalidateTags('all')
    await kv.get('b')
    expect(near.stats().misses).toBe(misses + 1)
  })

  test('is trusted no more by a delete that answers with a promise', async () => {
    const held = new Map<string, Cached>()
    const own: CacheObject = {
      get: (key) => held.get(key),
      set: (key, value) => held.set(key, value),
      delete: () => Promise.reject(new Error('of the application')),
    }
    const kv = keyValue(memory(), [cache({ in: own }), json()])
    for (const value of [1, 2]) {
      await kv.set('a', value)
      expect([await kv.get('a'), await kv.get('a')]).toEqual([value, value])
    }
    expect(await kv.update('a', (n) => Number(n) + 1)).toBe(3)
    expect(await kv.take('a')).toBe(3)
  })

  test('wants three methods, and no limits of its own', () => {
    const wrong = [
      { in: {} },
      { in: null },
      { in: new Map(), maxEntries: 5 },
      { in: new Map(), policy: 'lru' },
    ]
    for (const options of wrong)
      expect(() => cache(options as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIG' }) as Error,
      )
  })
})
