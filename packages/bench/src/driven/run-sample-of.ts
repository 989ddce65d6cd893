import { histogramOf } from '@unikv/core/histogram'
import type { DriveSample } from '../drive/sample.ts'
import { type RatePlan, stagesOf } from '../loop/rate-plan.ts'
import { arrivalsUntil } from '../loop/rate-stages.ts'
import { seriesInterval } from '../loop/series-interval.ts'
import type { OpenSample, RunSample } from './result.ts'

/**
 * A run as it stands in a result.
 *
 * @param rate the rate of its schedule, if it is known
 */
export function runSampleOf(
  run: number,
  { series, schedule, ...counts }: DriveSample,
  rate: RatePlan | null = null,
): RunSample {
  const targets = rate === null ? [] : series.map((interval) => targetIn(rate, interval))
  return { run, ...counts, series: series.map(seriesInterval), open: openOf(schedule, targets) }
}

function openOf(schedule: DriveSample['schedule'], targets: readonly number[]): OpenSample | null {
  if (schedule === null) return null
  const { lag, ...account } = schedule
  return { ...account, lagP99Ms: lag.count === 0 ? 0 : histogramOf(lag).percentile(99) / 1e6, targets }
}

/** The mean rate of an interval. */
function targetIn(
  rate: RatePlan,
  { atMs, lengthMs }: { readonly atMs: number; readonly lengthMs: number },
): number {
  if (typeof rate === 'number' || lengthMs === 0) return typeof rate === 'number' ? rate : 0
  const stages = stagesOf(rate)
  const due = arrivalsUntil(stages, atMs + lengthMs) - arrivalsUntil(stages, atMs)
  return (due / lengthMs) * 1_000
}
