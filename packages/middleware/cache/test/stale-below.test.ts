import { testClock } from '@unikv/conformance'
import { type Entry, json, keyValue, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type ObjectCacheOptions } from '../src/index.ts'

/** A source that can be down, under a cache in a store that answers stale then, under the caches `above`. */
function outage() {
  const clock = testClock(1_000_000)
  const source = memory({ clock })
  let isDown = false
  const failing = passThrough('failing', {
    wrap: (inner) => ({
      read: (reads, call) => {
        if (isDown) throw new StoreError('UNAVAILABLE', 'down')
        return inner.read(reads, call)
      },
    }),
  })
  const far = () =>
    cache({ store: memory({ clock }), freshForMs: 100, staleIfErrorMs: 10_000, clock, keepForMs: 20_000 })
  const setDown = (down: boolean): void => {
    isDown = down
  }
  return { clock, source, failing, far, setDown }
}

function isStale(entry: Entry<unknown> | undefined): boolean {
  return entry?.meta?.stale === true
}

describe('a tier below that confirms an entry although it is stale', () => {
  test.each<[string, ObjectCacheOptions]>([
    ['with stale answers of its own', { freshForMs: 100, staleIfErrorMs: 10_000 }],
    ['without', { freshForMs: 100 }],
    ['validated', { localTier: 'validated' }],
  ])('does not make it fresh in a cache of objects: %s', async (_, options) => {
    const { clock, source, failing, far, setDown } = outage()
    const near = cache({ ...options, clock, monotonicClock: clock })
    const below = far()
    const kv = keyValue(source, [near, json(), below, failing], { clock })
    await kv.set('a', { n: 1 })
    expect(isStale(await kv.getEntry('a'))).toBe(false)
    clock.advance(150)
    setDown(true)
    for (let i = 0; i < 3; i++) {
      const entry = await kv.getEntry('a')
      expect([entry?.value, isStale(entry)]).toEqual([{ n: 1 }, true])
    }
    const both = await Promise.all([kv.getEntry('a'), kv.getEntry('a')])
    expect(both.map((entry) => [entry?.value, isStale(entry)])).toEqual(Array(2).fill([{ n: 1 }, true]))
    expect(below.stats().staleAnswers).toBeGreaterThan(2)
    expect(near.stats().revalidations).toBe(0)
    setDown(false)
    expect(isStale(await kv.getEntry('a'))).toBe(false)
  })

  test('does not make it fresh in a cache in another store', async () => {
    const { clock, source, failing, far, setDown } = outage()
    const upper = cache({
      store: memory({ clock }),
      freshForMs: 100,
      clock,
      tier: 'upper',
      namespace: 'upper',
    })
    const kv = keyValue(source, [json(), upper, far(), failing], { clock })
    await kv.set('a', { n: 1 })
    await kv.get('a')
    clock.advance(150)
    setDown(true)
    for (let i = 0; i < 3; i++) {
      const entry = await kv.getEntry('a')
      expect([entry?.value, isStale(entry)]).toEqual([{ n: 1 }, true])
    }
    expect(upper.stats().revalidations).toBe(0)
    setDown(false)
    expect(isStale(await kv.getEntry('a'))).toBe(false)
    expect(upper.stats().revalidations).toBe(1)
  })
})
