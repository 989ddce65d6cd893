import { type Bytes, type KeyValue, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../../src/loop/clock.ts'
import { fullLatency, paperLatency } from '../../../src/studies/sizes/hit-rate.ts'
import {
  type CacheCellInput,
  type CacheUnderTest,
  measureCache,
} from '../../../src/studies/sizes/measure/measure-cache.ts'

const costs = { storeMs: 12, hitMs: 0.8 }

/** A store whose reads take their time. */
function slowStore(clock: VirtualClock): Store<Bytes> {
  const inner = memory()
  const store: Store<Bytes> = inner
  return {
    ...store,
    read: async (reads, options) => {
      await clock.sleep(costs.storeMs)
      return store.read(reads, options)
    },
  }
}

/** A cache whose misses cost `extraMs` more than the store. */
function simulatedCache(clock: VirtualClock, extraMs: number): CacheUnderTest {
  return {
    open: async (store) => {
      const kv = keyValue(store)
      const held = new Map<string, Bytes>()
      const get = async (key: string): Promise<Bytes | undefined> => {
        const found = held.get(key)
        if (found !== undefined) {
          await clock.sleep(costs.hitMs)
          return found
        }
        if (extraMs > 0) await clock.sleep(extraMs)
        const value = await kv.get(key)
        if (value !== undefined) held.set(key, value)
        return value
      }
      return { keys: { ...bound(kv), get } as KeyValue<string, Bytes>, close: async () => {} }
    },
  }
}

function bound(kv: KeyValue<string, Bytes>): Partial<KeyValue<string, Bytes>> {
  return { set: (key, value) => kv.set(key, value) }
}

function input(clock: VirtualClock, extraMs: number): CacheCellInput {
  const store = slowStore(clock)
  return {
    keys: keyValue(store),
    store,
    cache: simulatedCache(clock, extraMs),
    prefix: 'cache/0',
    objects: [new Uint8Array(10)],
    operations: 40,
    parallel: 1,
    maxMs: Infinity,
    seed: 1,
    signal: new AbortController().signal,
    verify: false,
    clock,
    measuredHitRates: [0, 0.25, 0.33, 0.5, 1],
  }
}

describe('measureCache', () => {
  test('measures at a driven hit rate what the paper extrapolates, where a miss costs nothing extra', async () => {
    const clock = new VirtualClock()
    const { store, hit, miss, measured } = await measureCache(input(clock, 0))
    expect(store.meanMs).toBeCloseTo(12, 6)
    expect(hit.meanMs).toBeCloseTo(0.8, 6)
    expect(miss.meanMs).toBeCloseTo(12, 6)
    for (const { hitRate, sample } of measured) {
      const expected = paperLatency(hitRate, costs)
      expect(Math.abs(sample.meanMs - expected) / expected).toBeLessThan(0.03)
    }
  })

  test('measures what the full-cost model says where a miss asks and fills the cache', async () => {
    const clock = new VirtualClock()
    const { miss, measured } = await measureCache(input(clock, 1.2))
    expect(miss.meanMs).toBeCloseTo(13.2, 6)
    for (const { hitRate, sample } of measured) {
      const expected = fullLatency(hitRate, { hitMs: 0.8, missMs: 13.2 })
      expect(Math.abs(sample.meanMs - expected) / expected).toBeLessThan(0.03)
    }
  })

  test('drives the cache to exactly h · N hits, with as many reads as that needs', async () => {
    const { measured } = await measureCache(input(new VirtualClock(), 0))
    expect(measured.map(({ hits, sample }) => [hits, sample.operations])).toEqual([
      [0, 40],
      [10, 40],
      [33, 100],
      [20, 40],
      [40, 40],
    ])
  })

  test('leaves nothing behind', async () => {
    const one = input(new VirtualClock(), 0)
    await measureCache(one)
    expect((one.store.native as ReadonlyMap<string, unknown>).size).toBe(0)
  })

  test('does not take a cache for one that does not hold what it should', async () => {
    const one = input(new VirtualClock(), 0)
    const forgetful: CacheUnderTest = {
      open: async (store) => ({ keys: keyValue(store), close: async () => {} }),
    }
    await expect(measureCache({ ...one, cache: forgetful })).rejects.toThrow(
      'its cache is too small, or shared',
    )
  })
})
