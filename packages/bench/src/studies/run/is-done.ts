import { hasLostWorker } from '../../driven/has-lost-worker.ts'
import type { RunSample } from '../../driven/result.ts'
import { type DrivenRecord, drivenBody } from '../../driven/target-results.ts'
import type { StudySubject } from '../../study/study.ts'
import type { RunConfig } from './config.ts'
import { isKnown } from './precision.ts'

/**
 * Whether a worker was lost, which spoils the result; or the stores are known precisely enough; or a threshold was crossed
 * and the first one ends the study.
 */
export function isDone(
  { config, stores }: StudySubject<RunConfig>,
  records: readonly DrivenRecord[],
): boolean {
  const { until, failFast, failIf } = config
  if (records.some(({ sample }) => sample !== null && hasLostWorker(sample))) return true
  if (failFast && drivenBody(stores, failIf, records).thresholds.some(({ isCrossed }) => isCrossed))
    return true
  if (until === null) return false
  const phases = countedPhases(config)
  const runs = stores.flatMap(({ name }) => phases.map((phase) => samplesOf(name, phase, records)))
  // Stores have equally many runs when each had its turn.
  if (new Set(runs.map(({ length }) => length)).size > 1) return false
  return runs.every((samples) => isKnown(samples, until))
}

/** Names of the phases that are counted; `null` stands for a run without phases. */
function countedPhases({ phases }: RunConfig): readonly (string | null)[] {
  return phases.length === 0 ? [null] : phases.flatMap(({ name, warmup }) => (warmup ? [] : [name]))
}

function samplesOf(
  store: string,
  phase: string | null,
  records: readonly DrivenRecord[],
): readonly RunSample[] {
  return records.flatMap(({ cell, sample }) =>
    cell.store === store && cell.phase === phase && sample !== null ? [sample] : [],
  )
}
