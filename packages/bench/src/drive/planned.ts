import { type Arrivals, constantRate, poissonRate } from '../loop/arrivals.ts'
import { type LoopClock, preciseClock } from '../loop/clock.ts'
import { closedLoop } from '../loop/closed-loop.ts'
import type { LoopResult } from '../loop/loop-result.ts'
import { openLoop } from '../loop/open-loop.ts'
import type { LoopObserver, Operations } from '../loop/operations.ts'
import type { RatePlan } from '../loop/rate-plan.ts'
import { stagedRate } from '../loop/rate-stages.ts'
import type { Random } from '../random/random.ts'
import type { DriveRequest, LoopPlan } from './driver.ts'
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
