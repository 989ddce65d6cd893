import { randomBytes } from 'node:crypto'
import { cache } from '@unikv/cache'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import type { NetworkRun } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { type Counted, repetitions, usualExchange } from './exchange.ts'

/** A store of bytes behind a network whose traffic is counted. */
export interface CacheStore {
  /** Names the row of the table in docs/proofs/figures/revalidation.tsv. */
  readonly store: string
  readonly proxy: () => Promise<Counted>
  /** A store all of whose connections go to this address. */
  readonly open: (url: string) => Store<Bytes>
  readonly report: NetworkRun['report']
}

/** How many keys a warm cache holds. */
export const hitsARound = 20
/** Bytes of a value. */
const size = 1_000
/** Fills need not have landed when the reader has its answer. */
const mostRounds = 10

/** Declares the test that a hit in a cache that lies in this store is one request and its answer. */
export function testCacheHits({ store, proxy: openProxy, open, report }: CacheStore): void {
  describe(`a cache in ${store}`, () => {
    test(`answers ${hitsARound} hits in as many round trips`, async () => {
      await using proxy = await openProxy()
      await using warm = await warmCache(open(proxy.url))
      const before = warm.hits()
      const read = await usualExchange(proxy, warm.readAll, ({ roundTrips }) => roundTrips)
      expect(read.result).toEqual(warm.values)
      expect(warm.hits() - before).toBe(repetitions * hitsARound)
      expect(read.traffic.responseBytes).toBeGreaterThan(hitsARound * size)
      expect(read.traffic.roundTrips).toBe(hitsARound)
      report({ store, size, call: 'hits', ...read.traffic })
    })
  })
}

/** A cache in a store. */
export interface WarmCache extends AsyncDisposable {
  readonly values: readonly Buffer[]
  /** How many reads it has answered. */
  readonly hits: () => number
  /** Read all values, one after the other. */
  readonly readAll: () => Promise<readonly Buffer[]>
}

/** A cache of twenty values in this store. */
export async function warmCache(store: Store<Bytes>): Promise<WarmCache> {
  const source = memory()
  const values = Array.from({ length: hitsARound }, () => randomBytes(size))
  await keyValue(source).setMany(values.map((value, i) => [`key ${i}`, value]))
  const far = cache({ store, namespace: `hits ${randomBytes(8).toString('hex')}`, timeoutMs: 30_000 })
  const kv = keyValue(source, [far], { timeoutMs: 60_000 })
  const hits = (): number => far.stats().hits
  const readAll = async (): Promise<readonly Buffer[]> => {
    const read: Buffer[] = []
    for (const i of values.keys()) read.push(Buffer.from((await kv.get(`key ${i}`)) ?? []))
    return read
  }
  for (let round = 0, warm = -1; round < mostRounds && hits() - warm < hitsARound; round++) {
    warm = hits()
    await readAll()
  }
  return {
    values,
    hits,
    readAll,
    async [Symbol.asyncDispose]() {
      await kv.deleteMany(values.map((_, i) => `key ${i}`))
      await kv.close()
    },
  }
}
