import { type Histogram, type HistogramJson, histogramJson, histogramOf } from '@unikv/core/histogram'
import { mergedHistogram } from '../statistics/histograms.ts'
import { sumOf } from '../statistics/summary.ts'

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
  const points = kinds.map(({ times, errors }) => pointOf(histogramOf(times), errors))
  const all = pointOf(
    mergedHistogram(kinds.map(({ times }) => times)),
    sumOf(kinds, ({ errors }) => errors),
  )
  return { atMs, lengthMs, all, kinds: points }
}

function pointOf(times: Histogram | undefined, errors: number): SeriesPoint {
  if (times === undefined || times.count === 0)
    return { operations: 0, errors, p50Ms: null, p99Ms: null, maxMs: null }
  const ms = (percent: number): number => times.percentile(percent) / 1e6
  return { operations: times.count, errors, p50Ms: ms(50), p99Ms: ms(99), maxMs: times.max / 1e6 }
}

/** A series with longer intervals: counts and times of those that follow each other are added, so nothing is lost but detail. */
export function coarser(series: readonly IntervalSample[], lengthMs: number): readonly IntervalSample[] {
  const groups = new Map<number, IntervalSample[]>()
  for (const interval of series) {
    const group = Math.floor(interval.atMs / lengthMs)
    const found = groups.get(group)
    if (found === undefined) groups.set(group, [interval])
    else found.push(interval)
  }
  return [...groups.values()].map(together)
}

/** The length of all intervals of a series but the last one; 0: there is only one, of any length. */
export function intervalMs([first, second]: readonly IntervalSample[]): number {
  return first === undefined || second === undefined ? 0 : first.lengthMs
}

function together(parts: readonly IntervalSample[]): IntervalSample {
  const [first] = parts as [IntervalSample]
  if (parts.length === 1) return first
  const lengthMs = sumOf(parts, (part) => part.lengthMs)
  const kinds = first.kinds.map((_, kind) => addedKind(parts.map((part) => part.kinds[kind] as IntervalKind)))
  return { atMs: first.atMs, lengthMs, kinds }
}

/** One kind of operation of several intervals or drivers. */
export function addedKind(parts: readonly IntervalKind[]): IntervalKind {
  return {
    errors: sumOf(parts, ({ errors }) => errors),
    times: addedTimes(parts.map(({ times }) => times)),
  }
}

/** Histograms, bucket by bucket. */
export function addedTimes(parts: readonly HistogramJson[]): HistogramJson {
  return histogramJson(mergedHistogram(parts) as Histogram)
}
