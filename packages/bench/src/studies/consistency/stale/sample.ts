import type { HistogramJson } from '@unikv/core/histogram'

/** The measurements of one run of writes that are followed by reads. Times count from the acknowledgement of a write. */
export interface StaleSample {
  /** Writes that were acknowledged. */
  readonly writes: number
  /** Writes that failed; no reader follows them. */
  readonly writeErrors: number
  /** The first failure of a write or a read. */
  readonly firstError: string | null
  readonly readers: readonly ReaderSample[]
  /** Writes that all readers saw whenever they looked. */
  readonly seenAtOnce: number
  /** Nanoseconds until all readers saw the others. */
  readonly seenLater: HistogramJson
  /** Writes that a reader did not see within the horizon. */
  readonly unseen: number
  /** Writes of which a reader was never told anything: all its reads failed. */
  readonly unknown: number
  /** Why the run says nothing about the store; empty for a good one. */
  readonly invalid: readonly string[]
}

/** The reads of one reader. */
export interface ReaderSample {
  readonly name: string
  /** Aligned with the delays of the configuration. */
  readonly points: readonly PointSample[]
  /** Writes that it saw at least once. */
  readonly saw: number
  /** Writes that it saw, and then read the older value again. */
  readonly wentBack: number
  /** Reads that failed, those between the delays included. */
  readonly errors: number
}

/** The reads that were planned, and began at one delay or later, but before the next one. */
export interface PointSample {
  /** Those that succeeded. */
  readonly reads: number
  /** Those that gave an older value than the one that was acknowledged before, or none. */
  readonly stale: number
  /** The sum of the times at which they began. */
  readonly sumMs: number
}
