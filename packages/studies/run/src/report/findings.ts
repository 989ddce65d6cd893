import { formatCount, formatTimes, percent } from '@unikv/workload/report'
import type { Averaged, RunResult, TargetResult } from '../result.ts'

/** The findings of a result, in sentences. */
export function findings(result: RunResult): readonly string[] {
  return [...comparisons(result), ...result.targets.flatMap(notes)]
}

/** The fastest store beside each other one, where their intervals leave no doubt. */
function comparisons({ targets }: RunResult): readonly string[] {
  const [first, ...others] = [...targets].sort((a, b) => b.rate.mean - a.rate.mean)
  if (first === undefined) return []
  return others.map((other) => {
    if (!isClear(first.rate, other.rate))
      return `No clear difference between ${first.store} and ${other.store}: ${formatCount(first.rate.mean)} and ${formatCount(other.rate.mean)} operations a second.`
    const factor = formatTimes(first.rate.mean / other.rate.mean)
    return `${first.store} did ${factor} times as many operations a second as ${other.store}: ${formatCount(first.rate.mean)} to ${formatCount(other.rate.mean)}.`
  })
}

function isClear(more: Averaged, less: Averaged): boolean {
  if (more.halfWidth === null || less.halfWidth === null) return false
  return more.mean - more.halfWidth > less.mean + less.halfWidth
}

/** Facts that a reader of the figures must know. */
function notes({ store, operations, runs }: TargetResult): readonly string[] {
  const missed = operations.filter(({ outcome, count }) => outcome !== null && count > 0)
  const failures = operations.reduce((sum, { errors }) => sum + errors, 0)
  const error = runs.find(({ firstError }) => firstError !== null)?.firstError
  return [
    ...missed.map(({ name, outcome, count }) => {
      const all = operations.reduce((sum, one) => (one.name === name ? sum + one.count : sum), 0)
      const what = outcome === 'miss' ? 'found no record' : 'lost against another write'
      return `${store}: ${percent(count / all)} % of ${name} operations ${what}.`
    }),
    ...(failures === 0
      ? []
      : [`${store}: ${formatCount(failures)} operations failed, the first one with: ${error}`]),
  ]
}
