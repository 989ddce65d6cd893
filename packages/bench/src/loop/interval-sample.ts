import type { HistogramJson } from '@unikv/core/histogram'

/** An interval of a series, as it was counted: adding those of several loops loses nothing. */
export interface IntervalSample {
  /** From the start of the loop to the start of the interval. */
  readonly atMs: number
  /** The interval's length; the last one is shorter. */
  readonly lengthMs: number
  /** Aligned with the kinds of the loop. */
  readonly kinds: readonly IntervalKind[]
}

/** One kind of operation in one interval. */
export interface IntervalKind {
  readonly errors: number
  /** Response times in an open loop, service times in a closed one, in nanoseconds. */
  readonly times: HistogramJson
}
