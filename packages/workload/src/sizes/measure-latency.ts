import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import type { LoopClock } from '../loop/clock.ts'
import { fastRandom, shuffledIndexes, subSeed } from '../random/random.ts'
import { type PhaseSample, phase } from './phase.ts'

/** What a cell works with. */
export interface CellInput {
  /** The run's namespace in the store. */
  readonly keys: KeyValue<string, Bytes>
  /** Begins the names of this cell's keys. */
  readonly prefix: string
  /** Objects to write, taken in turn. */
  readonly objects: readonly Bytes[]
  /** Distinct keys. */
  readonly operations: number
  readonly parallel: number
  readonly maxMs: number
  readonly seed: number
  readonly signal: AbortSignal
  /** Compare what is read with what was written, outside of what is timed. */
  readonly verify: boolean
  /** @default the machine's */
  readonly clock?: LoopClock | undefined
}

/** Latencies of the three operations. */
export interface OperationSamples {
  readonly write: PhaseSample
  readonly read: PhaseSample
  readonly delete: PhaseSample
}

/** What one latency cell measured. */
export interface LatencySample {
  /** Each call awaited before the next. */
  readonly sequential: OperationSamples
  /** Many in flight; `undefined` where that was not asked for. */
  readonly parallel?: OperationSamples | undefined
}

/** Reads are repeated for so long at least: on a fast store a few hundred of them are over before the clock ticks. */
export const leastReadMs = 50

/**
 * Write, read and delete distinct objects, first one at a time, then many in flight. Keys are read in another
 * order than they were written.
 */
export async function measureLatency(input: CellInput): Promise<LatencySample> {
  const sequential = await measureOperations(input, 1)
  if (input.parallel === 1) return { sequential }
  return { sequential, parallel: await measureOperations({ ...input, verify: false }, input.parallel) }
}

async function measureOperations(input: CellInput, workers: number): Promise<OperationSamples> {
  const { keys, operations, maxMs, signal, clock } = input
  const limits = { operations, workers, maxMs, signal, clock }
  const write = await phase((index) => keys.set(keyOf(input, index), objectOf(input, index)), limits)
  const written = write.operations
  if (input.verify) await verifyAll(input, written)
  const order = readOrder(input, written)
  const read = await phase((index) => keys.get(keyOf(input, order[index] as number)), {
    ...limits,
    operations: written,
    atLeastMs: leastReadMs,
  })
  const remove = await phase((index) => keys.delete(keyOf(input, index)), {
    ...limits,
    operations: written,
    maxMs: Infinity,
  })
  return { write, read, delete: remove }
}

/** Name of the key that a cell writes at an index. */
export function keyOf({ prefix }: Pick<CellInput, 'prefix'>, index: number): string {
  return `${prefix}/${index}`
}

/** The object that a cell writes at an index. */
export function objectOf({ objects }: Pick<CellInput, 'objects'>, index: number): Bytes {
  return objects[index % objects.length] as Bytes
}

/** Indexes in a seeded order. */
export function readOrder({ seed, prefix }: Pick<CellInput, 'seed' | 'prefix'>, count: number): Uint32Array {
  return shuffledIndexes(count, fastRandom(subSeed(seed, 'order', prefix)))
}

async function verifyAll(input: CellInput, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const found = await input.keys.get(keyOf(input, index))
    if (found !== undefined && Buffer.compare(found, objectOf(input, index)) === 0) continue
    const what = found === undefined ? 'does not return a record' : 'returns other bytes than those'
    throw new StoreError('CORRUPT', `${input.keys.name} ${what} that was written a moment ago.`)
  }
}
