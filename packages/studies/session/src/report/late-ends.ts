import { formatCount, formatLength } from '@unikv/workload/report'
import type { SessionResult } from '../result.ts'

/** A run that goes on for longer than this share of its time has a rate that says little. */
const mostShare = 0.1
/** Timers are late by so much, in milliseconds. */
const slackMs = 50

type Run = SessionResult['targets'][number]['runs'][number]

/**
 * Sentences about jobs whose last interactions ended late, as transactions that wait long before another attempt do: the rate of a run
 * is of all its time, so it is lower than what the store did while interactions began. A page of several jobs has none, as each has its time.
 */
export function lateEnds({ jobs, targets, config: { durationMs } }: SessionResult): readonly string[] {
  if (jobs.length > 1) return []
  return jobs.flatMap(({ name }, at) => {
    const runs = targets[at]?.runs ?? []
    const lateMs = Math.max(0, ...runs.map(({ elapsedMs }) => elapsedMs - durationMs))
    if (lateMs <= Math.max(slackMs, durationMs * mostShare)) return []
    const rates = runs.map((run) => rateWithin(run, durationMs))
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
    return [
      `${name}: the last interactions ended up to ${formatLength(Math.round(lateMs / 100) * 100)} after the time of a run, and the rate is of all that time. While interactions began, ${formatCount(mean)} ended a second.`,
    ]
  })
}

/** Operations a second in the intervals that were over when the last interactions began. */
function rateWithin({ series }: Run, durationMs: number): number {
  let [operations, lengthMs] = [0, 0]
  for (const interval of series) {
    if (lengthMs + interval.lengthMs > durationMs + slackMs) break
    operations += interval.all.operations
    lengthMs += interval.lengthMs
  }
  return lengthMs === 0 ? 0 : (operations / lengthMs) * 1_000
}
