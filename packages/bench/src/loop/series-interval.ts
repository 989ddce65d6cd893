import { type Histogram, histogramOf } from '@unikv/core/histogram'
import type { IntervalSample } from './interval-sample.ts'

/** One kind of operation in one interval of a series. Times are in milliseconds. */
export interface SeriesPoint {
  /** Successes that ended in this interval. */
  readonly operations: number
  readonly errors: number
  /** Response times in an open loop, service times in a closed one; `null` without a success. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}

/** The figures of an interval of a series. */
export interface SeriesInterval {
  /** From the start of the loop to the start of the interval. */
  readonly atMs: number
  /** The interval's length; the last one is shorter. */
  readonly lengthMs: number
  /** Operations of all kinds together. */
  readonly all: SeriesPoint
  /** Aligned with the kinds of the loop. */
  readonly kinds: readonly SeriesPoint[]
}

/** The figures of what was counted in an interval. */
export function seriesInterval({ atMs, lengthMs, kinds }: IntervalSample): SeriesInterval {
  const counted = kinds.map(({ times, errors }) => ({ times: histogramOf(times), errors }))
  const points = counted.map(({ times, errors }) => pointOf(times, errors))
  const [first, ...others] = counted.map(({ times }) => times)
  for (const other of others) first?.merge(other)
  const errors = kinds.reduce((sum, kind) => sum + kind.errors, 0)
  return { atMs, lengthMs, all: pointOf(first, errors), kinds: points }
}

function pointOf(times: Histogram | undefined, errors: number): SeriesPoint {
  if (times === undefined || times.count === 0)
    return { operations: 0, errors, p50Ms: null, p99Ms: null, maxMs: null }
  const ms = (percent: number): number => times.percentile(percent) / 1e6
  return { operations: times.count, errors, p50Ms: ms(50), p99Ms: ms(99), maxMs: times.max / 1e6 }
}
