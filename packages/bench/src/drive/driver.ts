import type { HistogramJson } from '@unikv/core/histogram'
import { z } from 'zod'
import type { IntervalSample } from '../loop/interval-sample.ts'
import type { RatePlan } from '../loop/rate-plan.ts'
import type { Invalidity } from '../loop/verdict.ts'
import type { CheckCounts } from '../operations/read-checks.ts'
import type { Workload } from '../operations/workload.ts'
import type { Plain } from '../options/option.ts'
import type { MachineSample } from '../run/machine.ts'
import { histogramJsonSchema } from '../statistics/histograms.ts'
import type { ConnectionCount } from './clients.ts'

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
  /**
   * Open a connection for each caller, where callers must have their own; a drive does that otherwise.
   *
   * @throws why the server refused one
   * @default connections are not those of callers
   */
  connect?(callers: number): Promise<void>
  /** Drive once. Keys that were inserted stay known to later runs. */
  drive(request: DriveRequest, hooks: DriveHooks): Promise<DriveSample>
  /** Release what the driver opened itself. */
  close(): Promise<void>
}

/** How long it took to load records. */
export interface LoadSample {
  readonly records: number
  readonly elapsedMs: number
}

/** The measurements of one run: plain JSON. Histograms and series of several drivers can be added without loss. */
export interface DriveSample {
  /** From the first start to the last end. */
  readonly elapsedMs: number
  /** The time that rates of operations which were not late are of: the run's duration, or `elapsedMs` if the run ended earlier. */
  readonly countedMs: number
  /** Operations that ended, failures included. */
  readonly operations: number
  readonly errors: number
  readonly firstError: string | null
  readonly kinds: readonly KindSample[]
  /** Each second of the run, or longer intervals of more than half an hour; their kinds are aligned with `kinds`. */
  readonly series: readonly IntervalSample[]
  /** The account of a run at a rate; `null` without one. */
  readonly schedule: ScheduleSample | null
  /** Values of reads that were checked; `null` without checks. */
  readonly checks: CheckCounts | null
  /** Why the run says nothing about the store; empty for a good one. */
  readonly invalid: readonly Invalidity[]
  /** Milliseconds in which the process of the run did not run, by pauses of more than 50. @default not known */
  readonly lostMs?: number | undefined
  /** The work of the machine meanwhile. @default not known */
  readonly machine?: MachineSample | undefined
  /** Calls that reached the store: each read, write and page of a listing, with however many keys. @default not counted */
  readonly calls?: number | undefined
  /** Connections of the callers. @default not counted */
  readonly connections?: readonly ConnectionCount[] | undefined
  /** Figures of a program: plain JSON. @default none */
  readonly own?: unknown
}

const count = z.int().min(0)
/** Checks counts by the codes of errors. */
export const errorCodesSchema = z.record(z.string(), count).default({})
/** Checks why an operation counts apart; `null`: a success. */
export const outcomeSchema = z.enum(['miss', 'conflict', 'stale']).nullable()

/** Checks operations of one kind in one run. */
export const kindSchema = z.strictObject({
  /** The operation, such as `read`. */
  name: z.string(),
  outcome: outcomeSchema,
  errors: count,
  /** The same by the codes of their errors. */
  errorCodes: errorCodesSchema,
  /** Successes that ended after the run's duration: their times count, and rates are without them. */
  late: count.default(0),
  /** From start to end of failures, in nanoseconds. @default not known, or none */
  failed: histogramJsonSchema.optional(),
  /** From start to end, in nanoseconds. */
  service: histogramJsonSchema,
  /** From the intended start to the end; `null` without a rate. */
  response: histogramJsonSchema.nullable(),
})

/** Operations of one kind in one run. */
export type KindSample = Plain<typeof kindSchema>

/** How a schedule was kept. */
export interface ScheduleSample {
  readonly targetRate: number
  readonly arrivals: number
  readonly dropped: number
  readonly queued: number
  /** How late the generator itself was, in nanoseconds. */
  readonly lag: HistogramJson
}
