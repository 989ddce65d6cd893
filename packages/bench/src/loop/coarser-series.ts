import { type HistogramJson, histogramJson, histogramOf } from '@unikv/core/histogram'
import type { IntervalKind, IntervalSample } from './interval-sample.ts'

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
  const lengthMs = parts.reduce((sum, part) => sum + part.lengthMs, 0)
  const kinds = first.kinds.map((_, kind) => addedKind(parts.map((part) => part.kinds[kind] as IntervalKind)))
  return { atMs: first.atMs, lengthMs, kinds }
}

/** One kind of operation of several intervals or drivers. */
export function addedKind(parts: readonly IntervalKind[]): IntervalKind {
  return {
    errors: parts.reduce((sum, { errors }) => sum + errors, 0),
    times: addedTimes(parts.map(({ times }) => times)),
  }
}

/** Histograms, bucket by bucket. */
export function addedTimes(parts: readonly HistogramJson[]): HistogramJson {
  const [first, ...others] = parts.map(histogramOf)
  for (const other of others) first?.merge(other)
  return histogramJson(first as NonNullable<typeof first>)
}
