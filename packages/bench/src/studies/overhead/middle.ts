import { median } from '../../statistics/median.ts'
import type { Middle } from './result.ts'

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
