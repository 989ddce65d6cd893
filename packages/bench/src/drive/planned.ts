import { histogramJson } from '@unikv/core/histogram'
import { type Arrivals, constantRate, poissonRate, stagedRate } from '../loop/arrivals.ts'
import { type LoopClock, preciseClock } from '../loop/clock.ts'
import { closedLoop } from '../loop/closed-loop.ts'
import type { IntervalSample } from '../loop/interval-sample.ts'
import { firstCause, type LoopResult } from '../loop/loop-result.ts'
import { openLoop } from '../loop/open-loop.ts'
import type { LoopObserver, Operations } from '../loop/operations.ts'
import type { RatePlan } from '../loop/rate-plan.ts'
import { verdict } from '../loop/verdict.ts'
import type { CountedKind } from '../operations/mixed-operations.ts'
import type { CheckCounts } from '../operations/read-checks.ts'
import { messageOf } from '../options/invalid.ts'
import type { Random } from '../random/random.ts'
import type { DriveRequest, DriveSample, LoopPlan, ScheduleSample } from './driver.ts'
import { partOf, type Share } from './share.ts'

/** How one of several drivers does its part. */
interface Part {
  readonly share: Share
  /** For arrivals. */
  readonly random: Random
  readonly signal: AbortSignal
  readonly observer: LoopObserver
  readonly clock: LoopClock | undefined
}

/** Run the part of a request in a loop of its plan. */
export function planned(work: Operations, request: DriveRequest, part: Part): Promise<LoopResult> {
  const { loop, durationMs, operations } = request
  const { share, random, signal, observer, clock } = part
  const most = operations === null ? undefined : partOf(operations, share)
  const limits = { durationMs, signal, observer, operations: most }
  if (loop.rate === null)
    return closedLoop(work, { ...limits, clock, workers: partOf(loop.concurrency, share) })
  return openLoop(work, {
    ...limits,
    arrivals: arrivalsOf(loop.arrivals, loop.rate, share, random),
    maxInFlight: partOf(loop.maxInFlight, share),
    whenFull: loop.whenFull,
    clock: clock ?? preciseClock,
  })
}

/** Constant arrivals of several drivers take turns, so that together they are those of one. */
function arrivalsOf(kind: LoopPlan['arrivals'], rate: RatePlan, share: Share, random: Random): Arrivals {
  if (typeof rate !== 'number') return stagedRate(rate, share, kind === 'poisson' ? random : undefined)
  return kind === 'poisson' ? poissonRate(rate / share.of, random) : constantRate(rate, share)
}

/** The measurements of a loop over operations of these kinds, as plain JSON. */
export function sampleOf(
  result: LoopResult,
  counted: readonly CountedKind[],
  series: readonly IntervalSample[],
  checks?: CheckCounts,
): DriveSample {
  const { elapsedMs, countedMs, operations, errors, firstError, kinds, loop, lostMs } = result
  return {
    elapsedMs,
    countedMs,
    operations,
    errors,
    firstError: errors === 0 ? null : messageOf(firstCause(firstError)),
    kinds: kinds.map((kind, index) => ({
      ...(counted[index] as CountedKind),
      errors: kind.errors,
      errorCodes: Object.fromEntries(kind.codes),
      late: kind.late,
      ...(kind.errors === 0 ? {} : { failed: histogramJson(kind.failed) }),
      service: histogramJson(kind.service),
      response: loop === 'open' ? histogramJson(kind.response) : null,
    })),
    series,
    lostMs,
    schedule: scheduleOf(result),
    checks: checks === undefined ? null : { checked: checks.checked, wrong: checks.wrong },
    // a wrong value fails a threshold of its own
    invalid: verdict(
      checks === undefined ? result : { ...result, errors: Math.max(0, errors - checks.wrong) },
    ),
  }
}

function scheduleOf({ open }: LoopResult): ScheduleSample | null {
  if (open === undefined) return null
  const { targetRate, arrivals, dropped, queued, lag } = open
  return { targetRate, arrivals, dropped, queued, lag: histogramJson(lag) }
}
