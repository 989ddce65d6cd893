import type { Averaged, Latency, OperationResult, RunBesides } from '../../driven/result.ts'
import type { UslFit } from '../../statistics/usl/usl-fit.ts'
import type { StudyResult } from '../../study/study.ts'
import type { SweepConfig } from './config.ts'

/** All that `unikv bench sweep` found: `result.json`. */
export type SweepResult = StudyResult<SweepConfig, SweepBody>

/** The fields of a result beyond those of every study. */
export interface SweepBody {
  readonly curves: readonly Curve[]
}

/** A load over one store. */
export interface Curve {
  readonly store: string
  /** The name of the load, such as `read`. */
  readonly load: string
  /** In the order of rising values; a value without a measured run is left out. */
  readonly points: readonly CurvePoint[]
  /** The Universal Scalability Law through the runs; `null` unless the axis is concurrency with three values or more. */
  readonly fit: UslFit | null
}

/** All runs of a load at one value. */
export interface CurvePoint {
  readonly value: number
  /** Operations a second that succeeded. */
  readonly rate: Averaged
  /** Times of successes, from start to end. */
  readonly latency: Latency
  /** The same by operation. */
  readonly operations: readonly OperationResult[]
  readonly errors: number
  readonly firstError: string | null
  /** Facts of each run besides its operations. @default not known */
  readonly runs?: readonly RunBesides[] | undefined
  /** Why a run says nothing about the store. */
  readonly invalid: readonly string[]
}
