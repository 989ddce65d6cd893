import { type Bytes, type KeyValue, type Store, StoreError } from '@unikv/core'
import { fastRandom, shuffledIndexes, subSeed } from '../../../random/random.ts'
import { throughStore } from '../../../run/through-store.ts'
import { type HitMix, mixFor } from '../hit-rate.ts'
import { type CellInput, checkOf, deleteKeys, keyOf, objectOf, readOrder, untimed } from './cell-input.ts'
import { leastReadMs } from './measure-latency.ts'
import { leastOperations, type PhaseOptions, type PhaseSample, phase } from './phase.ts'

/** A cache in front of a store, to be measured. */
export interface CacheUnderTest {
  /** The run's namespace of the store, behind an empty cache with room for so many bytes and entries. */
  open(store: Store<Bytes>, bytes: number, entries: number): Promise<CachedKeys>
}

/** A store behind a cache. */
export interface CachedKeys {
  readonly keys: KeyValue<string, Bytes>
  close(): Promise<void>
}

/** Further needs of a cache cell. */
export interface CacheCellInput extends CellInput {
  /** The store that `keys` is a namespace of. */
  readonly store: Store<Bytes>
  readonly cache: CacheUnderTest
  /** Hit rates to measure with a driven cache, between 0 and 1. */
  readonly measuredHitRates: readonly number[]
}

/** The measurements of one cache cell. */
export interface CacheSample {
  /** Reads without a cache, in the same minute as the others. */
  readonly store: PhaseSample
  /** Reads that the cache answered. */
  readonly hit: PhaseSample
  /** Reads through the cache that missed: asking it, reading the store, filling it. */
  readonly miss: PhaseSample
  readonly measured: readonly MeasuredHitRate[]
}

/** Reads of which a share were hits: `hits` of `sample.operations`. */
export interface MeasuredHitRate {
  readonly hitRate: number
  readonly hits: number
  readonly sample: PhaseSample
}

/** A hit in this process takes less than a microsecond: an interruption must not outweigh thousands of them. */
export const leastHitMs = 100

/** Write objects, read them without and with the cache, and delete them. */
export async function measureCache(input: CacheCellInput): Promise<CacheSample> {
  const mixes = input.measuredHitRates.map((hitRate) => mixFor(hitRate, input.operations, mostReads(input)))
  const wanted = Math.max(input.operations, ...mixes.map(({ reads }) => reads))
  const written = await untimed(input, wanted, (index) =>
    input.keys.set(keyOf(input, index), objectOf(input, index)),
  )
  const order = readOrder(input, Math.min(input.operations, written))
  const store = await phase((index) => input.keys.get(keyOf(input, order[index] as number)), {
    ...limitsOf(input),
    operations: order.length,
    atLeastMs: leastReadMs,
    check: checkOf(input, order),
  })
  const { miss, hit } = await measureEnds(input, order)
  const affordable = Math.max(leastOperations, Math.floor(input.maxMs / miss.meanMs))
  const measured: MeasuredHitRate[] = []
  for (const hitRate of input.measuredHitRates) {
    const mix = mixFor(hitRate, Math.min(input.operations, affordable), Math.min(written, affordable))
    measured.push(await measureAt(input, hitRate, mix))
  }
  await deleteKeys(input, 0, written)
  return { store, miss, hit, measured }
}

/** Most reads that a hit rate may take: as many objects as 20 MB hold, since all of them lie in the store and the cache. */
function mostReads(input: CacheCellInput): number {
  return Math.max(input.operations, Math.min(1_000, Math.floor(20e6 / largest(input))))
}

function limitsOf({ maxMs, signal, clock }: CellInput): Pick<PhaseOptions, 'maxMs' | 'signal' | 'clock'> {
  return { maxMs, signal, clock }
}

/** The two ends: every key once through an empty cache, then all of them again. */
async function measureEnds(
  input: CacheCellInput,
  order: Uint32Array,
): Promise<{ miss: PhaseSample; hit: PhaseSample }> {
  const counted = countedStore(input.store)
  const cached = await input.cache.open(counted.store, order.length * largest(input), order.length)
  try {
    const get = (index: number): Promise<unknown> => cached.keys.get(keyOf(input, order[index] as number))
    const limits = { ...limitsOf(input), check: checkOf(input, order) }
    const miss = await phase(get, { ...limits, operations: order.length })
    expectReads(counted.reads(), miss.operations, 'a cache that should be empty')
    const hit = await phase(get, { ...limits, operations: miss.distinct, atLeastMs: leastHitMs })
    expectReads(counted.reads(), miss.operations, 'a cache that should hold everything')
    return { miss, hit }
  } finally {
    await cached.close()
  }
}

/** One hit rate in between: some keys are put into the cache before, each key is read once, in a mixed order. */
async function measureAt(
  input: CacheCellInput,
  hitRate: number,
  { reads, hits }: HitMix,
): Promise<MeasuredHitRate> {
  const counted = countedStore(input.store)
  const cached = await input.cache.open(counted.store, reads * largest(input), reads)
  try {
    // Whole, as a part of it would be another share of hits.
    await untimed({ ...input, maxMs: Infinity }, hits, (index) => cached.keys.get(keyOf(input, index)))
    const order = shuffledIndexes(reads, fastRandom(subSeed(input.seed, 'driven', input.prefix, reads)))
    const before = counted.reads()
    const sample = await phase((index) => cached.keys.get(keyOf(input, order[index] as number)), {
      ...limitsOf(input),
      operations: reads,
      maxMs: Infinity, // cutting it short would change the share of hits; `reads` is what maxMs allows
      check: checkOf(input, order),
    })
    expectReads(counted.reads() - before, reads - hits, `a cache driven to ${hits} hits of ${reads}`)
    return { hitRate, hits, sample }
  } finally {
    await cached.close()
  }
}

function largest({ objects }: CellInput): number {
  return Math.max(...objects.map((object) => object.length))
}

function expectReads(found: number, expected: number, what: string): void {
  if (found === expected) return
  throw new StoreError(
    'INVALID_CONFIG',
    `The store was read ${found} times behind ${what}, expected ${expected}: its cache is too small, or shared.`,
  )
}

/** A store that counts what reaches it. Closing it leaves the store open. */
interface CountedStore {
  readonly store: Store<Bytes>
  /** Keys read so far. */
  reads(): number
}

/** Count the reads that reach a store, to prove which ones a cache answered. */
function countedStore(inner: Store<Bytes>): CountedStore {
  let reads = 0
  return {
    reads: () => reads,
    store: throughStore(inner, {
      read: (asked, options) => {
        reads += asked.length
        return inner.read(asked, options)
      },
    }),
  }
}
