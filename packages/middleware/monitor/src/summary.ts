import { Histogram } from '@unikv/core/histogram'
import type { Figures } from './figures.ts'
import { timesOf, untimed } from './latency.ts'
import type { LatencySnapshot } from './snapshot.ts'

/** Figures of an operation as people read them. */
export interface Summarised extends Omit<Figures, 'atOnce' | 'awaited'> {
  /** Calls that were answered. */
  readonly calls: number
  /** Items that failed. */
  readonly failed: number
  /** Share of reads that caches answered, from 0 to 1; 0 before the first answer. */
  readonly hitRate: number
  /** Latency of all calls. Those of the answers without a promise that were timed stand for the others. */
  readonly latency: LatencySnapshot
}

/** Sums and percentiles of one operation. */
export function summarised({ atOnce, awaited, ...sums }: Figures): Summarised {
  const hits = total(sums.hits)
  const answered = hits + sums.misses
  const calls = atOnce.count + awaited.count
  const times = allTimes({ atOnce, awaited })
  return {
    ...sums,
    calls,
    failed: total(sums.errors),
    hitRate: answered === 0 ? 0 : hits / answered,
    latency: { count: calls, ...(times === undefined ? untimed : timesOf(times)) },
  }
}

/** A percentile of the latency of all calls, from 0 to 100; `undefined` if none was timed. */
export function percentileMs(figures: Figures, percent: number): number | undefined {
  const times = allTimes(figures)
  return times === undefined ? undefined : times.percentile(percent) / 1e6
}

/** One histogram of all calls, in which a timed answer without a promise counts for those that were not timed. */
function allTimes({ atOnce, awaited }: Pick<Figures, 'atOnce' | 'awaited'>): Histogram | undefined {
  if (atOnce.times === undefined) return awaited.times
  const all = weighed(atOnce.times, atOnce.count / atOnce.times.count)
  if (awaited.times !== undefined) all.merge(awaited.times)
  return all
}

function weighed(histogram: Histogram, weight: number): Histogram {
  const data = histogram.data()
  const counts = new Float64Array(data.counts.length)
  let count = 0
  for (const [i, one] of data.counts.entries()) {
    if (one === 0) continue
    counts[i] = one * weight
    count += one * weight
  }
  return Histogram.from({ ...data, counts, count, sum: data.sum * weight })
}

function total(counts: { readonly [name: string]: number }): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
