import { Histogram, type HistogramOptions } from '@unikv/core/histogram'
import { type LoopClock, spinningClock } from '../../../loop/clock.ts'
import { type ClosedLoopOptions, closedLoop } from '../../../loop/closed-loop.ts'
import type { LoopResult } from '../../../loop/loop-result.ts'
import type { Operations } from '../../../loop/operations.ts'

/** Limits of one phase: a number of equal operations, such as all reads of one run at one size. */
export interface PhaseOptions {
  readonly operations: number
  /** Operations in flight. @default 1: each is awaited before the next */
  readonly workers?: number | undefined
  /** The phase ends early after this time, though not before 10 operations. */
  readonly maxMs: number
  /**
   * Repeat the operations until this time has passed, so that what takes microseconds is not measured in a blink.
   * Only for operations that may be repeated.
   * @default 0
   */
  readonly atLeastMs?: number | undefined
  /** Repeat the operations until there were so many, as far as `maxMs` allows. @default 0 */
  readonly atLeastOperations?: number | undefined
  /** Check the answer of an operation after its time was taken. If this throws, the phase ends. */
  readonly check?: ((index: number, answer: unknown) => void) | undefined
  readonly signal: AbortSignal
  readonly clock?: LoopClock | undefined
}

/** The measurements of a phase. */
export interface PhaseSample {
  /** Operations, repetitions included. */
  readonly operations: number
  /** Operations that were not repetitions: fewer than asked for if the phase ended early. */
  readonly distinct: number
  /** Mean time from the start of an operation to its end. */
  readonly meanMs: number
  /** Operations a second of the whole phase. */
  readonly rate: number
  /** Latencies of operations, in nanoseconds. */
  readonly histogram: Histogram
}

/** A phase is not cut short before so many operations. */
export const leastOperations = 10

/** Percentiles within 0.4 %: a run keeps thousands of these. */
export const phaseHistogram: HistogramOptions = { precisionBits: 7 }

/**
 * Run one phase. Operations are numbered from 0 to `operations` − 1, again and again where they are repeated. The first
 * error ends it: a store that fell silent is not asked operation by operation.
 *
 * @throws the first error of an operation, or the reason of the signal
 */
export async function phase(
  start: (index: number) => Promise<unknown>,
  options: PhaseOptions,
): Promise<PhaseSample> {
  const { operations: count, maxMs, atLeastMs = 0, atLeastOperations = 0 } = options
  const work = workOf(start, options)
  const results: LoopResult[] = []
  const run = async (limits: ClosedLoopOptions): Promise<void> =>
    void results.push(await measured(work, options, limits))
  const elapsedMs = (): number => results.reduce((sum, result) => sum + result.elapsedMs, 0)
  const missing = (): number =>
    atLeastOperations - results.reduce((sum, { operations }) => sum + operations, 0)
  await run({ operations: count, durationMs: maxMs, atLeast: Math.min(count, leastOperations) })
  if (elapsedMs() < atLeastMs) await run({ durationMs: atLeastMs - elapsedMs() })
  if (missing() > 0 && elapsedMs() < maxMs)
    await run({ operations: missing(), durationMs: maxMs - elapsedMs() })
  return sampleOf(results)
}

function workOf(
  start: (index: number) => Promise<unknown>,
  { operations: count, check }: PhaseOptions,
): Operations {
  const work: Operations = {
    kinds: ['phase'],
    pick: () => 0,
    start: (_kind, sequence) => start(sequence % count),
  }
  if (check === undefined) return work
  return {
    ...work,
    check: (_kind, sequence, answer) => {
      check(sequence % count, answer)
      return undefined
    },
  }
}

async function measured(
  work: Operations,
  { workers = 1, signal, clock = spinningClock }: PhaseOptions,
  limits: ClosedLoopOptions,
): Promise<LoopResult> {
  const result = await closedLoop(work, {
    ...limits,
    workers,
    signal,
    clock,
    stopsOnError: true,
    histogram: phaseHistogram,
  })
  signal.throwIfAborted()
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
    distinct: results[0]?.operations ?? 0,
    meanMs: histogram.mean / 1e6,
    rate: (histogram.count / elapsedMs) * 1_000,
    histogram,
  }
}
