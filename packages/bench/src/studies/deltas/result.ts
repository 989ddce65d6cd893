import type { StudyResult } from '../../study/study.ts'
import type { DeltasConfig, EditPattern } from './config.ts'
import type { Recommendation } from './recommend.ts'

/** All that a run of the study found: `result.json`. */
export type DeltasResult = StudyResult<DeltasConfig, DeltasBody>

/** The fields of a result beyond those of every study. */
export interface DeltasBody {
  readonly points: readonly DeltaPoint[]
}

/** Updates of one store, at one size, by one pattern. */
export interface DeltaPoint {
  readonly store: string
  /** Place on the size axis, in bytes. */
  readonly size: number
  readonly edit: EditPattern
  readonly share: number
  /** Mean length of the values that were written. */
  readonly valueBytes: number
  /** Updates of all runs. */
  readonly updates: number
  /** Share of updates that were sent as a delta, by the layer or for the server to apply. */
  readonly deltaShare: number
  readonly plain: Way
  readonly delta: Way
  readonly recommendation: Recommendation
}

/** One way of writing: whole values, or deltas. */
export interface Way {
  readonly update: Timed
  /** By a process that does not know the value. */
  readonly read: Timed
  /** By a process that knew it before the last update. */
  readonly knownRead: Timed
  /** Processor time of an update in nanoseconds for each byte of the value. */
  readonly cpuNsPerByte: number
  /** Bytes of records that an update sends, and that stand in the store after it: means. */
  readonly sentBytes: number
  readonly storedBytes: number
  /** Bytes that a read brings. */
  readonly readBytes: number
  readonly knownReadBytes: number
  /** Requests that are waited for, one after the other. */
  readonly updateTrips: number
  readonly readTrips: number
  readonly knownReadTrips: number
}

/** A time that was measured in several runs. */
export interface Timed {
  /** The mean of each run, and of the runs. */
  readonly runsMs: readonly number[]
  readonly meanMs: number
  /** Half-width of the 95 % confidence interval of the mean; `null` of one run. */
  readonly halfWidthMs: number | null
  /** Of all operations; `null` where fewer than ten lie beyond it. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}
