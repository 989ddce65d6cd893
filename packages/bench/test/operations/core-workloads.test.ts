import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import { KeySpace } from '../../src/keys/key-space.ts'
import { closedLoop } from '../../src/loop/closed-loop.ts'
import type { LoopResult } from '../../src/loop/loop-result.ts'
import { contextOf, sameContext } from '../../src/operations/context.ts'
import { mixChooser, mixOf } from '../../src/operations/mix.ts'
import { countedKinds, MixedOperations } from '../../src/operations/mixed-operations.ts'
import { workloadSchema } from '../../src/operations/workload.ts'
import { fastRandom, subSeed } from '../../src/random/random.ts'
import { values } from '../../src/values/values.ts'
import { type YcsbPresetName, ycsbPreset, ycsbPresetNames } from '../../src/ycsb/properties.ts'
import { workloadOfProperties } from '../../src/ycsb/ycsb-workload.ts'

/** Fewer of `e`, as a scan in memory sorts all keys. */
const operationsOf = (preset: YcsbPresetName): number => (preset === 'e' ? 300 : 3_000)

/** What is to be compared. */
interface Driven {
  readonly result: LoopResult
  /** Names of the operations and keys, in the order in which they were drawn. */
  readonly stream: readonly string[]
  readonly reads: number
  readonly writes: number
}

/** A core workload over a store in memory whose calls end in any order. */
async function drive(preset: YcsbPresetName, workers: number, seed = 42): Promise<Driven> {
  const { workload: ycsb } = workloadOfProperties(ycsbPreset(preset))
  const { records, insertStart, mix, keys, keyNames, valueBytes, scanLength } = ycsb
  const fields = {
    records,
    firstRecord: insertStart,
    mix,
    keys,
    keyNames,
    values: valueBytes,
    scan: scanLength,
  }
  const workload = workloadSchema.parse({ name: preset, ...fields })
  const { store, counts } = unordered(memory())
  const made = values({ seed, objects: await synthetic({ seed }).objects(1_000, 100) })
  const stream: string[] = []
  let turn = 0
  const space = new KeySpace({ first: insertStart, count: records })
  const context = contextOf({
    workload,
    keys: keyValue(store, [], { coalesce: false }),
    space,
    seed,
    expectedInserts: ycsb.expectedInserts,
    valueOf: (number) => made.bytes(number, 1_000, turn++),
  })
  const numbers = Array.from({ length: records }, (_, number) => number)
  await context.kv.setMany(numbers.map((number) => [context.keyOf(number), context.valueOf(number)] as const))
  Object.assign(counts, { reads: 0, writes: 0 })
  const logged = (number: number): string => {
    stream.push(context.keyOf(number))
    return stream.at(-1) as string
  }
  const names = mixOf(workload)
  const draw = mixChooser(
    names.map(([, weight]) => weight),
    fastRandom(subSeed(seed, 'mix')),
  )
  const work = new MixedOperations(
    countedKinds(names.map(([name]) => name)),
    sameContext({ ...context, keyOf: logged }),
    draw,
  )
  const result = await closedLoop(work, { workers, operations: operationsOf(preset) })
  const driven = { result, stream, ...counts }
  for (let number = 0; number <= space.last; number++)
    expect(made.matches(number, (await context.kv.get(context.keyOf(number))) as Bytes)).toBe(true)
  return driven
}

/** The same store, but a call may end after a later one. */
function unordered(store: Store<Bytes>): { store: Store<Bytes>; counts: { reads: number; writes: number } } {
  const random = fastRandom(9)
  const counts = { reads: 0, writes: 0 }
  const late = async <T>(answer: T): Promise<T> => {
    while (random.next() < 0.3) await new Promise((resolve) => setImmediate(resolve))
    return answer
  }
  const slow: Store<Bytes> = {
    ...store,
    name: 'memory',
    capabilities: { ...store.capabilities, sync: 'none' },
    native: undefined,
    read: async (items, call) => {
      counts.reads += items.length
      return late(await store.read(items, call))
    },
    write: async (items, call) => {
      counts.writes += items.length
      return late(await store.write(items, call))
    },
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
  }
  return { store: slow, counts }
}

/** The 99.9 % quantiles of chi-square, by degrees of freedom. */
const quantiles = [0, 10.83, 13.82]

test.each(ycsbPresetNames)(
  'workload %s has its mix, and no read of a key that is not there',
  async (preset) => {
    const { result, reads, writes } = await drive(preset, 16)
    const operations = operationsOf(preset)
    const { mix } = workloadOfProperties(ycsbPreset(preset)).workload
    const found = Object.fromEntries(result.kinds.map(({ name, service }) => [name, service.count]))
    const statistic = Object.entries(mix).reduce((sum, [name, weight]) => {
      const expected = operations * weight
      return sum + (found[name]! - expected) ** 2 / expected
    }, 0)
    expect(statistic).toBeLessThanOrEqual(quantiles[Object.keys(mix).length - 1]!)
    const counted = Object.keys(mix).reduce((sum, name) => sum + found[name]!, 0)
    expect(counted).toBe(operations) // neither misses nor failures
    const { read = 0, update = 0, insert = 0, 'read-modify-write': both = 0 } = found
    expect([reads, writes]).toEqual([read + both, update + insert + both])
  },
)

test('the same seed gives the same keys in the same order, for any number of callers', async () => {
  const [one, many, other] = [await drive('b', 1), await drive('b', 16), await drive('b', 1, 43)]
  expect(one.stream).toEqual(many.stream)
  expect(one.stream).not.toEqual(other.stream)
})
