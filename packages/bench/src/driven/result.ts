import type { KindSample, LoadSample } from '../drive/sample.ts'
import type { FailureCodes } from '../loop/failure-codes.ts'
import type { SeriesInterval } from '../loop/series-interval.ts'
import type { Invalidity } from '../loop/verdict.ts'
import type { Outcome } from '../operations/kinds.ts'
import type { CheckCounts } from '../operations/read-checks.ts'
import type { MachineSample } from '../run/machine.ts'
import type { RunResult } from '../run/result.ts'

/** The part of a result that tells of driven stores. */
export type DrivenResult = Pick<RunResult, 'startedAt'> & DrivenBody

/** The fields of a result beyond those of every study. */
export interface DrivenBody {
  readonly targets: readonly TargetResult[]
  readonly thresholds: readonly ThresholdResult[]
}

/** How records were brought back before runs. */
export interface ResetResult {
  readonly way: 'snapshot' | 'commands'
  /** Keeping them after the load, in milliseconds. */
  readonly saveMs: number
  /** Bringing them back before a run, in milliseconds. */
  readonly restoreMs: Averaged
}

/** The result of one store, or of one phase in it. */
export interface TargetResult {
  readonly store: string
  /** The phase of its runs; `null`: they have no phases. */
  readonly phase: string | null
  /** The law by which keys were chosen, in words. */
  readonly keyLaw: string
  /** The law of the lengths of values, in words. */
  readonly lengthLaw: string
  /** Whether a warm-up until steady came to be so; `null`: it lasted a given time. */
  readonly isSteady: boolean | null
  /** Loading the records, before anything was measured. */
  readonly load: LoadSample
  /** Bringing the records back as they were loaded, before each run; `null`: runs follow each other on the same records. */
  readonly reset: ResetResult | null
  /** Operations a second, of all kinds that succeeded within the time of their run. */
  readonly rate: Averaged
  readonly operations: readonly OperationResult[]
  readonly runs: readonly RunSample[]
}

/** All operations of one kind, in all runs. */
export interface OperationResult {
  /** The operation, such as `read`. */
  readonly name: string
  /** Why it counts apart: `miss` or `conflict`; `null` for a success. */
  readonly outcome: Outcome | null
  readonly count: number
  readonly errors: number
  /** The same by the codes of their errors. */
  readonly errorCodes: FailureCodes
  /** Successes that ended after the time of their run: they are in `count` and in the times, and not in `rate`. */
  readonly late: number
  /** Successes a second within the time of their run. */
  readonly rate: Averaged
  /** From start to end. */
  readonly service: Latency
  /** From the intended start to the end; `null` without a rate. */
  readonly response: Latency | null
}

/** A figure of several runs. */
export interface Averaged {
  readonly runs: readonly number[]
  readonly mean: number
  /** Half-width of the 95 % confidence interval of the mean; `null` of one run. */
  readonly halfWidth: number | null
}

/** Times of operations; percentiles are of all runs together, and `null` where fewer than ten values lie beyond them. */
export interface Latency {
  readonly meanMs: Averaged
  readonly minMs: number
  readonly maxMs: number
  readonly p50Ms: number | null
  readonly p90Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly p999Ms: number | null
  readonly p9999Ms: number | null
}

/** One measured run. */
export interface RunSample {
  readonly run: number
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
  readonly series: readonly SeriesInterval[]
  /** Milliseconds in which the process of the run did not run, by pauses of more than 50. @default not known */
  readonly lostMs?: number | undefined
  /** The work of the machine meanwhile. @default not known */
  readonly machine?: MachineSample | undefined
  /** Calls that reached the store: each read, write and page of a listing, with however many keys. @default not counted */
  readonly calls?: number | undefined
  /** The account of a run at a rate; `null` without one. */
  readonly open: OpenSample | null
  /** Values of reads that were checked; `null` without checks. */
  readonly checks: CheckCounts | null
  /** Why the run says nothing about the store; empty for a good one. */
  readonly invalid: readonly Invalidity[]
}

/** Facts of a run besides its operations. */
export type RunBesides = Pick<RunSample, 'run' | 'calls' | 'lostMs' | 'machine'>

/** How a schedule was kept. */
export interface OpenSample {
  readonly targetRate: number
  readonly arrivals: number
  readonly dropped: number
  readonly queued: number
  /** How late the generator itself was: p99. */
  readonly lagP99Ms: number
  /** Operations a second that the schedule asked for in each interval of the series; empty where it is not known. */
  readonly targets: readonly number[]
}

/** A threshold and its figure in one store. */
export interface ThresholdResult {
  /** The store, and the phase if there are some. */
  readonly store: string
  /** The threshold as it was written. */
  readonly text: string
  /** In the unit of the threshold; `null`: there were too few operations to tell. */
  readonly found: number | null
  readonly isCrossed: boolean
}
