import type { HistogramJson } from '@unikv/core/histogram'
import type { FailureCodes } from '../loop/failure-codes.ts'
import type { IntervalSample } from '../loop/interval-sample.ts'
import type { Invalidity } from '../loop/verdict.ts'
import type { CountedKind } from '../operations/mixed-operations.ts'
import type { CheckCounts } from '../operations/read-checks.ts'
import type { MachineSample } from '../run/machine.ts'

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
  /** Figures of a program: plain JSON. @default none */
  readonly own?: unknown
}

/** Operations of one kind in one run. */
export interface KindSample extends CountedKind {
  readonly errors: number
  /** The same by the codes of their errors. */
  readonly errorCodes: FailureCodes
  /** Successes that ended after the run's duration: their times count, and rates are without them. */
  readonly late: number
  /** From start to end of failures, in nanoseconds. @default not known, or none */
  readonly failed?: HistogramJson | undefined
  /** From start to end, in nanoseconds. */
  readonly service: HistogramJson
  /** From the intended start to the end; `null` without a rate. */
  readonly response: HistogramJson | null
}

/** How a schedule was kept. */
export interface ScheduleSample {
  readonly targetRate: number
  readonly arrivals: number
  readonly dropped: number
  readonly queued: number
  /** How late the generator itself was, in nanoseconds. */
  readonly lag: HistogramJson
}
