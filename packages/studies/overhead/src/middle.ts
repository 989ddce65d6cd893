import { median } from '@unikv/workload/statistics'
import type { Middle } from './result.ts'

/** The fewest runs of which an interval of 95 % can be told: of six, all lie on one side of the median in 3 % of cases. */
const leastRuns = 6

/** The median of runs and its 95 % interval by the sign test: one bad run does not move it. */
export function middleOf(runs: readonly number[]): Middle {
  const sorted = runs.toSorted((a, b) => a - b)
  const { length } = sorted
  if (length < leastRuns) return { median: median(runs), low: null, high: null }
  const rank = Math.max(0, Math.floor((length - 1.96 * Math.sqrt(length)) / 2))
  return { median: median(runs), low: sorted[rank] as number, high: sorted[length - 1 - rank] as number }
}
