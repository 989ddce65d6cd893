import type { Bytes } from '@unikv/core'
import {
  type CellInput,
  checkOf,
  checkWhole,
  deleteKeys,
  keyOf,
  objectOf,
  readOrder,
  untimed,
} from './cell-input.ts'
import { type PhaseSample, phase } from './phase.ts'

/** Latencies of the three operations. */
export interface OperationSamples {
  readonly write: PhaseSample
  readonly read: PhaseSample
  readonly delete: PhaseSample
}

/** The measurements of one latency cell. */
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
  return { sequential, parallel: await measureOperations(input, input.parallel) }
}

async function measureOperations(input: CellInput, workers: number): Promise<OperationSamples> {
  const { keys, maxMs, signal, clock } = input
  const limits = { workers, maxMs, signal, clock }
  const write = await phase((index) => keys.set(keyOf(input, index), objectOf(input, index)), {
    ...limits,
    operations: input.operations,
  })
  const operations = write.distinct
  if (input.verify) await verifyAll(input, operations)
  const order = readOrder(input, operations)
  const read = await phase((index) => keys.get(keyOf(input, order[index] as number)), {
    ...limits,
    operations,
    atLeastMs: leastReadMs,
    check: checkOf(input, order),
  })
  const remove = await phase((index) => keys.delete(keyOf(input, index)), { ...limits, operations })
  await deleteKeys(input, remove.distinct, operations)
  return { write, read, delete: remove }
}

async function verifyAll(input: CellInput, count: number): Promise<void> {
  const { keys } = input
  await untimed(
    input,
    count,
    (index) => keys.get(keyOf(input, index)),
    (index, answer) => checkWhole(keys.name, answer as Bytes | undefined, objectOf(input, index)),
  )
}
