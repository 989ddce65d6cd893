import { median } from '../../statistics/summary.ts'
import type { OverheadTrend } from './config.ts'

/** The middle of several runs, and its 95 % interval; `null` of fewer than six runs. */
export interface Middle {
  readonly median: number
  readonly low: number | null
  readonly high: number | null
}

/** The share of intervals that may miss the median. */
const missShare = 0.05

/** The median of runs and its 95 % interval by the sign test: one bad run does not move it. `null`: too few runs to tell. */
export function middleOf(runs: readonly number[]): Middle {
  const sorted = runs.toSorted((a, b) => a - b)
  const rank = rankOf(sorted.length)
  if (rank < 0) return { median: median(runs), low: null, high: null }
  return {
    median: median(runs),
    low: sorted[rank] as number,
    high: sorted[sorted.length - 1 - rank] as number,
  }
}

/** How many of the lowest and of the highest runs an interval can leave out: each lies below the median like a coin that falls. */
function rankOf(count: number): number {
  let share = 2 ** -count
  let missed = 2 * share
  let rank = -1
  while (missed <= missShare && rank < count) {
    rank++
    share *= (count - rank) / (rank + 1)
    missed += 2 * share
  }
  return rank
}

type Point = readonly [volume: number, ms: number]

/**
 * How overheads change over the logarithm of the volume: the median of the slopes between all pairs of runs at different volumes,
 * with its 95 % interval, where there are runs enough for one. A run that was disturbed hardly moves it. Source: Sen, Estimates of the
 * regression coefficient based on Kendall's tau (1968).
 *
 * @param points at two volumes or more
 */
export function trendOf(
  points: readonly Point[],
): Pick<OverheadTrend, 'slopeMs' | 'lowMs' | 'highMs' | 'verdict'> {
  const slopes = points.flatMap(([volume, ms], i) =>
    points.slice(i + 1).flatMap(([other, otherMs]) => {
      const doublings = Math.log2(other / volume)
      return doublings === 0 ? [] : [(otherMs - ms) / doublings]
    }),
  )
  const sorted = slopes.toSorted((a, b) => a - b)
  const rank = Math.floor((sorted.length - 1 - 1.96 * deviationOf(points)) / 2)
  const slopeMs = median(slopes)
  // Even the interval from the lowest slope to the highest misses too often.
  if (rank < 0) return { slopeMs, lowMs: null, highMs: null, verdict: 'unclear' }
  const [lowMs, highMs] = [sorted[rank] as number, sorted[sorted.length - 1 - rank] as number]
  const verdict = lowMs <= 0 && highMs >= 0 ? 'constant' : lowMs > 0 ? 'grows' : 'falls'
  return { slopeMs, lowMs, highMs, verdict }
}

/** Standard deviation of Kendall's statistic, where runs at the same volume are tied. */
function deviationOf(points: readonly Point[]): number {
  const term = (n: number): number => n * (n - 1) * (2 * n + 5)
  const volumes = points.map(([volume]) => volume)
  const ties = [...new Set(volumes)].map((volume) => volumes.filter((one) => one === volume).length)
  const tied = ties.reduce((sum, count) => sum + term(count), 0)
  return Math.sqrt((term(points.length) - tied) / 18)
}
