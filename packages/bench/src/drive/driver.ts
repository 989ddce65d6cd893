import type { IntervalSample } from '../loop/interval-sample.ts'
import type { RatePlan } from '../loop/rate-plan.ts'
import type { Workload } from '../operations/workload.ts'
import type { DriveSample, LoadSample } from './sample.ts'

/** How operations follow each other. */
export interface LoopPlan {
  /** Callers that each wait for their answer. Without a rate only. */
  readonly concurrency: number
  /** Operations a second that begin whether or not earlier ones have ended; `null`: each caller begins when it has its answer. */
  readonly rate: RatePlan | null
  readonly arrivals: 'constant' | 'poisson'
  /** With a rate: most operations in flight, and what becomes of those beyond it. */
  readonly maxInFlight: number
  readonly whenFull: 'drop' | 'queue'
}

/** Records to write before a run. Plain data. */
export interface LoadPart {
  readonly workload: Workload
  /** Number of the first record. */
  readonly first: number
  readonly count: number
}

/** One run. Plain data, so that a thread or another machine can be told of it. */
export interface DriveRequest {
  readonly workload: Workload
  readonly loop: LoopPlan
  /** Each run has random streams of its own. */
  readonly run: number
  readonly durationMs: number
  /** Most operations; `null`: only the time limits them. */
  readonly operations: number | null
  /** Inserts that all runs together may make, for laws that scatter popular keys over all of them. */
  readonly expectedInserts: number
}

/** How a caller follows a load, and ends it. */
export interface LoadHooks {
  readonly signal: AbortSignal
  /** Told how many records are written. */
  readonly onProgress?: ((records: number) => void) | undefined
}

/** How a caller follows a run, and ends it. */
export interface DriveHooks {
  /** Ends the run early; the sample holds what was measured until then. */
  readonly signal: AbortSignal
  /** Told of each second that is over. */
  readonly onInterval?: ((interval: IntervalSample) => void) | undefined
  /** Called when all is prepared; the first operation waits for it, so that several drivers can begin together. */
  readonly start?: (() => Promise<void>) | undefined
}

/** Loads a store and drives it: in this thread, in several, or elsewhere. The same request gives the same operations. */
export interface Driver {
  /** @throws an error of the store, or the reason of the signal, when no write is under way any more */
  load(part: LoadPart, hooks: LoadHooks): Promise<LoadSample>
  /** Drive once. Keys that were inserted stay known to later runs. */
  drive(request: DriveRequest, hooks: DriveHooks): Promise<DriveSample>
  /** Release what the driver opened itself. */
  close(): Promise<void>
}
