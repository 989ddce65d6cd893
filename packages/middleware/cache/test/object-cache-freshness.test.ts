import { testClock } from '@unikv/conformance'
import { keyValue, StoreError } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import type { ObjectCacheOptions } from '../src/index.ts'
import { bytes, gated, put, textOf } from './gated-cache.ts'
import type { GatedStore } from './gated-store.ts'

describe('freshness', () => {
  function aging(options: ObjectCacheOptions = {}) {
    const clock = testClock(1_000)
    const made = gated({ clock, monotonicClock: clock, ...options })
    return { ...made, clock, kv: keyValue(made.stack, [], { clock }) }
  }

  async function get(
    store: GatedStore,
    kv: { get(key: string): Promise<unknown> },
  ): Promise<string | undefined> {
    const got = kv.get('a')
    await store.open()
    return textOf(await got)
  }

  test('ends after freshForMs, and the store is then asked only whether the entry changed', async () => {
    const { store, kv, clock, c } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(99)
    await get(store, kv)
    expect(store.reads).toHaveLength(1)
    clock.advance(1)
    expect(await get(store, kv)).toBe('1')
    expect(store.reads[1]).toEqual([{ key: 'a', ifNotVersion: expect.stringMatching(/^[0-9a-f]{24}$/) }])
    expect(c.stats()).toMatchObject({ staleHits: 1, revalidations: 1, hits: 1, misses: 2 })
    clock.advance(99)
    await get(store, kv)
    expect(store.reads).toHaveLength(2)
  })

  test('an entry that ended for good is counted as expired, and gives its room back', async () => {
    const { store, kv, clock, c } = aging({ freshForMs: 100, keepForMs: 50 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(149)
    await get(store, kv)
    expect(c.stats()).toMatchObject({ staleHits: 1, expirations: 0, revalidations: 1, entries: 1 })
    clock.advance(150)
    const got = kv.get('a')
    expect(c.stats()).toMatchObject({ staleHits: 2, expirations: 1, entries: 0, bytes: 0 })
    await store.open()
    await got
    expect(c.stats()).toMatchObject({ expirations: 1, entries: 1, loads: 3 })
  })

  test('the time that loads took is told, key by key', async () => {
    const { store, kv, clock, c } = aging()
    const got = kv.getMany(['a', 'b'])
    clock.advance(30)
    await store.open()
    await got
    expect(c.stats()).toMatchObject({ loads: 2, loadMs: 60 })
  })

  test('counts from when the load was asked for, not from its answer', async () => {
    const { store, kv, clock } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    const got = kv.get('a')
    store.look()
    clock.advance(60)
    await store.open()
    await got
    clock.advance(40)
    await get(store, kv)
    expect(store.reads).toHaveLength(2)
  })

  test.each([
    ['changed', '2'],
    ['deleted', undefined],
  ])('ended, and the entry was %s meanwhile', async (_what, present) => {
    const { store, kv, clock, c } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(100)
    if (present === undefined) await keyValue(store.inner).delete('a')
    else await put(store, 'a', present)
    expect(await get(store, kv)).toBe(present)
    expect(c.stats()).toMatchObject({ revalidations: 0, entries: present === undefined ? 0 : 1 })
  })

  test('ended, and the store fails: the error is the answer, and the entry stays for the next attempt', async () => {
    const { store, kv, clock, c } = aging({ freshForMs: 100 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(100)
    const failing = expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await store.open(new StoreError('UNAVAILABLE', 'down'))
    await failing
    expect(await get(store, kv)).toBe('1')
    expect(c.stats()).toMatchObject({ revalidations: 1, failures: 1 })
  })

  test('that ended longer than keepForMs ago is not revalidated', async () => {
    const { store, kv, clock } = aging({ freshForMs: 100, keepForMs: 50 })
    await put(store, 'a', '1')
    await get(store, kv)
    clock.advance(151)
    await get(store, kv)
    expect(store.reads[1]).toEqual([{ key: 'a', ifNotVersion: undefined }])
  })

  test('is not prolonged by a wall clock that is set back', async () => {
    const monotonic = testClock(0)
    const wall = testClock(1_000_000)
    const { store, stack } = gated({ freshForMs: 100, clock: wall, monotonicClock: monotonic })
    const kv = keyValue(stack)
    await put(store, 'a', '1')
    await get(store, kv)
    wall.advance(-3_600_000)
    monotonic.advance(100)
    await get(store, kv)
    expect(store.reads).toHaveLength(2)
  })

  test('never outlives the expiry of the record', async () => {
    const { store, kv, clock } = aging()
    await kv.set('a', bytes('1'), { ttlMs: 100 })
    await get(store, kv)
    clock.advance(99)
    expect(await get(store, kv)).toBe('1')
    expect(store.reads).toHaveLength(1)
    clock.advance(1)
    expect(await get(store, kv)).toBeUndefined()
  })

  test('of an expiry that was moved by somebody else is learnt by revalidating', async () => {
    const { store, kv, clock } = aging({ freshForMs: 10 })
    await kv.set('a', bytes('1'), { ttlMs: 100 })
    await get(store, kv)
    clock.advance(50)
    await keyValue(store.inner, [], { clock }).touch('a', { ttlMs: 1_000 })
    await get(store, kv)
    clock.advance(500)
    expect(await get(store, kv)).toBe('1')
  })
})

describe('absent keys', () => {
  test('are asked for each time, by default', async () => {
    const { store, stack } = gated()
    const kv = keyValue(stack)
    for (let i = 0; i < 2; i++) {
      const got = kv.get('a')
      await store.open()
      expect(await got).toBeUndefined()
    }
    expect(store.reads).toHaveLength(2)
  })

  test('are known for absentForMs, and no longer than until they are written', async () => {
    const clock = testClock(0)
    const { store, stack, c } = gated({ absentForMs: 100, clock, monotonicClock: clock })
    const kv = keyValue(stack)
    const first = kv.get('a')
    await store.open()
    await first
    expect(await kv.get('a')).toBeUndefined()
    expect(await kv.has('a')).toBe(false)
    expect(c.stats()).toMatchObject({ hits: 2, entries: 1 })
    await put(store, 'a', 'by another process')
    clock.advance(100)
    const later = kv.get('a')
    await store.open()
    expect(textOf(await later)).toBe('by another process')
    await kv.delete('a')
    const gone = kv.get('a')
    await store.open()
    await gone
    await kv.set('a', bytes('mine'))
    const mine = kv.get('a')
    await store.open()
    expect(textOf(await mine)).toBe('mine')
  })
})
