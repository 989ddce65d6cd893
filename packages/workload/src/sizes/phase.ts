import { type LoopClock, spinningClock } from '../loop/clock.ts'
import { closedLoop } from '../loop/closed-loop.ts'
import type { LoopResult } from '../loop/loop-result.ts'
import { type Operations, operations } from '../loop/operations.ts'
import { Histogram, type HistogramOptions } from '../measure/histogram.ts'

/** Limits of one phase: a number of equal operations, such as all reads of one run at one size. */
export interface PhaseOptions {
  readonly operations: number
  /** Operations in flight. @default 1: each is awaited before the next */
  readonly workers?: number
  /** The phase ends early after this time, though not before 10 operations. */
  readonly maxMs: number
  /**
   * Repeat the operations until this time has passed, so that what takes microseconds is not measured in a blink.
   * Only for operations that may be repeated.
   * @default 0
   */
  readonly atLeastMs?: number
  readonly signal: AbortSignal
  readonly clock?: LoopClock | undefined
}

/** What a phase measured. */
export interface PhaseSample {
  readonly operations: number
  /** Mean time from the start of an operation to its end. */
  readonly meanMs: number
  /** Operations a second of the whole phase. */
  readonly rate: number
  /** Of operations, in nanoseconds. */
  readonly histogram: Histogram
}

const LEAST_OPERATIONS = 10

/** Of percentiles within 0.4 %: a run keeps thousands of these. */
export const phaseHistogram: HistogramOptions = { precisionBits: 7 }

/**
 * Run one phase. Operations are numbered from 0 to `operations` − 1, again and again where they are repeated.
 *
 * @throws the first error of an operation, or the reason of the signal
 */
export async function phase(
  start: (index: number) => Promise<unknown>,
  options: PhaseOptions,
): Promise<PhaseSample> {
  const { operations: count, workers = 1, maxMs, atLeastMs = 0, signal, clock = spinningClock } = options
  const work = operations('phase', (sequence) => start(sequence % count))
  const atLeast = Math.min(count, LEAST_OPERATIONS)
  const results = [
    await measured(work, { workers, operations: count, durationMs: maxMs, atLeast, signal, clock }),
  ]
  const restMs = atLeastMs - (results[0] as LoopResult).elapsedMs
  if (restMs > 0) results.push(await measured(work, { workers, durationMs: restMs, signal, clock }))
  return sampleOf(results)
}

async function measured(work: Operations, options: Parameters<typeof closedLoop>[1]): Promise<LoopResult> {
  const result = await closedLoop(work, { ...options, histogram: phaseHistogram })
  options?.signal?.throwIfAborted()
  if (result.errors > 0) throw result.firstError
  return result
}

function sampleOf(results: readonly LoopResult[]): PhaseSample {
  const histogram = new Histogram(phaseHistogram)
  let elapsedMs = 0
  for (const result of results) {
    for (const { service } of result.kinds) histogram.merge(service)
    elapsedMs += result.elapsedMs
  }
  return {
    operations: histogram.count,
    meanMs: histogram.mean / 1e6,
    rate: (histogram.count / elapsedMs) * 1_000,
    histogram,
  }
}
