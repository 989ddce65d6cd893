import type { StudySubject } from '@unikv/workload'
import { type DrivenRecord, drivenBody, type RunSample, rateOf } from '@unikv/workload/driven'
import { isPrecise } from '@unikv/workload/statistics'
import type { RunConfig } from './config.ts'

/**
 * Whether a worker was lost, which spoils the result; or the stores are known precisely enough; or a threshold was crossed
 * and the first one ends the study.
 */
export function isDone(
  { config, stores }: StudySubject<RunConfig>,
  records: readonly DrivenRecord[],
): boolean {
  const { until, failFast, failIf, rate } = config
  if (records.some(hasLostWorker)) return true
  if (until === null && !failFast) return false
  const runs = stores.map(({ name }) => samplesOf(name, records))
  // Stores have equally many runs when each had its turn.
  if (new Set(runs.map(({ length }) => length)).size > 1) return false
  const figureOf = rate === null ? rateOf : meanResponseOf
  if (until !== null && runs.every((samples) => isPrecise(samples.map(figureOf), until))) return true
  return failFast && drivenBody(stores, failIf, records).thresholds.some(({ isCrossed }) => isCrossed)
}

function samplesOf(store: string, records: readonly DrivenRecord[]): readonly RunSample[] {
  return records.flatMap(({ cell, sample }) => (cell.store === store && sample !== null ? [sample] : []))
}

/** At a rate the throughput is given, and the times are the question. */
function meanResponseOf({ kinds }: RunSample): number {
  const times = kinds.map(({ response, service }) => response ?? service)
  const count = times.reduce((sum, one) => sum + one.count, 0)
  return count === 0 ? 0 : times.reduce((sum, one) => sum + one.sum, 0) / count
}

function hasLostWorker({ sample }: DrivenRecord): boolean {
  return sample?.invalid.some(({ reason }) => reason === 'worker-lost') === true
}
