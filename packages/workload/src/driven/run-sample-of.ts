import type { DriveSample } from '../drive.ts'
import { seriesInterval } from '../loop/series-interval.ts'
import { histogramOf } from '../statistics.ts'
import type { OpenSample, RunSample } from './result.ts'

/** A run as it stands in a result. */
export function runSampleOf(run: number, { series, schedule, ...counts }: DriveSample): RunSample {
  return { run, ...counts, series: series.map(seriesInterval), open: openOf(schedule) }
}

function openOf(schedule: DriveSample['schedule']): OpenSample | null {
  if (schedule === null) return null
  const { lag, ...account } = schedule
  return { ...account, lagP99Ms: lag.count === 0 ? 0 : histogramOf(lag).percentile(99) / 1e6 }
}
