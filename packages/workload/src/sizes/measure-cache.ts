import { type Bytes, type KeyValue, type Store, StoreError } from '@unikv/core'
import { closedLoop } from '../loop/closed-loop.ts'
import { operations } from '../loop/operations.ts'
import { fastRandom, shuffledIndexes, subSeed } from '../random/random.ts'
import { countedStore } from './counted-store.ts'
import { readsFor } from './hit-rate.ts'
import { type CellInput, keyOf, leastReadMs, objectOf, readOrder } from './measure-latency.ts'
import { type PhaseSample, phase } from './phase.ts'

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

/** What one cache cell measured. */
export interface CacheSample {
  /** Reads without a cache, in the same minute as the others. */
  readonly store: PhaseSample
  /** Reads that the cache answered. */
  readonly hit: PhaseSample
  /** Reads through the cache that missed: asking it, reading the store, filling it. */
  readonly miss: PhaseSample
  readonly measured: readonly MeasuredHitRate[]
}

/** Reads of which exactly a share were hits. */
export interface MeasuredHitRate {
  readonly hitRate: number
  readonly hits: number
  readonly sample: PhaseSample
}

/** A hit in this process takes less than a microsecond: an interruption must not outweigh thousands of them. */
const leastHitMs = 100

/** Write objects, read them without and with the cache, and delete them. */
export async function measureCache(input: CacheCellInput): Promise<CacheSample> {
  const most = Math.max(
    input.operations,
    ...input.measuredHitRates.map((rate) => readsFor(rate, input.operations)),
  )
  await untimed(input, most, (index) => input.keys.set(keyOf(input, index), objectOf(input, index)))
  const order = readOrder(input, input.operations)
  const limits = { maxMs: input.maxMs, signal: input.signal, clock: input.clock }
  const store = await phase((index) => input.keys.get(keyOf(input, order[index] as number)), {
    ...limits,
    operations: order.length,
    atLeastMs: leastReadMs,
  })
  const { miss, hit } = await measureEnds(input, order)
  const measured: MeasuredHitRate[] = []
  for (const hitRate of input.measuredHitRates) measured.push(await measureAt(input, hitRate))
  await untimed(input, most, (index) => input.keys.delete(keyOf(input, index)))
  return { store, miss, hit, measured }
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
    const limits = { maxMs: input.maxMs, signal: input.signal, clock: input.clock }
    const miss = await phase(get, { ...limits, operations: order.length })
    expectReads(counted.reads(), miss.operations, 'a cache that should be empty')
    const hit = await phase(get, { ...limits, operations: miss.operations, atLeastMs: leastHitMs })
    expectReads(counted.reads(), miss.operations, 'a cache that should hold everything')
    return { miss, hit }
  } finally {
    await cached.close()
  }
}

/** One hit rate in between: some keys are put into the cache before, each key is read once, in a mixed order. */
async function measureAt(input: CacheCellInput, hitRate: number): Promise<MeasuredHitRate> {
  const count = readsFor(hitRate, input.operations)
  const hits = Math.round(count * hitRate)
  const counted = countedStore(input.store)
  const cached = await input.cache.open(counted.store, count * largest(input), count)
  try {
    await untimed(input, hits, (index) => cached.keys.get(keyOf(input, index)))
    const order = shuffledIndexes(count, fastRandom(subSeed(input.seed, 'driven', input.prefix, count)))
    const before = counted.reads()
    const sample = await phase((index) => cached.keys.get(keyOf(input, order[index] as number)), {
      operations: count,
      maxMs: Infinity, // cutting it short would change the share of hits
      signal: input.signal,
      clock: input.clock,
    })
    expectReads(counted.reads() - before, count - hits, `a cache driven to ${hits} hits of ${count}`)
    return { hitRate, hits, sample }
  } finally {
    await cached.close()
  }
}

/** What has to happen but is not measured: as fast as the store takes it. */
async function untimed(
  input: CellInput,
  count: number,
  start: (index: number) => Promise<unknown>,
): Promise<void> {
  if (count === 0) return
  const result = await closedLoop(operations('untimed', start), {
    workers: 32,
    operations: count,
    signal: input.signal,
  })
  input.signal.throwIfAborted()
  if (result.errors > 0) throw result.firstError
}

function largest({ objects }: CellInput): number {
  return Math.max(...objects.map((object) => object.length))
}

function expectReads(found: number, expected: number, what: string): void {
  if (found === expected) return
  throw new StoreError(
    'INVALID_CONFIG',
    `The store was read ${found} times behind ${what}, expected were ${expected}: its cache is too small, or shared.`,
  )
}
