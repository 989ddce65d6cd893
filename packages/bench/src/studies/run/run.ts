import { largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { workloadOf } from '../../driven/given/workload-of.ts'
import { type WorkloadSources, workloadSources } from '../../driven/given/ycsb-base.ts'
import { targetText } from '../../driven/report/words.ts'
import { type DrivenBody, drivenBodyShape, type RunSample } from '../../driven/result.ts'
import { type DrivenCell, hasLostWorker, judgeDriven, planRuns } from '../../driven/runs.ts'
import { type DrivenRecord, drivenBody } from '../../driven/target-results.ts'
import { planLength, type RatePlan } from '../../loop/rate-plan.ts'
import type { Given } from '../../options/option.ts'
import type { Configured, Study, StudySubject } from '../../study/study.ts'
import { check } from './check.ts'
import { type RunConfig, runConfigSchema } from './config.ts'
import { givenPhases, type Phase } from './phases/given-phases.ts'
import { isKnown, report } from './report/report.ts'

/** A workload of operations over one or more stores: throughput, latencies, misses and failures. */
export const run: Study<RunConfig, DrivenCell, DrivenRecord, DrivenBody> = {
  name: 'run',
  config: runConfigSchema,
  sources: workloadSources,
  configure,
  formatVersion: 1,
  body: drivenBodyShape,
  report,
  checkData: ({ workload }, data) => largestValue(workload, data),
  check,
  leastBytes: ({ workload }) => recordsBytes(workload),
  plan: ({ config, stores }) => planRuns(config.runs, stores, phaseNames(config)),
  nameOf: (cell) => `${targetText(cell)} ${cell.run === 0 ? 'load' : ''}`,
  isDone,
  labelOf: targetText,
  runner: async (context) => new (await import('./run-runner.ts')).RunRunner(context),
  judge: judgeDriven,
  aggregate: ({ config, stores }, records) => drivenBody(stores, config.failIf, records),
}

function phaseNames({ phases }: RunConfig): readonly (string | null)[] {
  return phases.length === 0 ? [null] : phases.map(({ name }) => name)
}

/**
 * Whether a worker was lost, which spoils the result; or the stores are known precisely enough; or a threshold was crossed
 * and the first one ends the study.
 */
function isDone({ config, stores }: StudySubject<RunConfig>, records: readonly DrivenRecord[]): boolean {
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

/** The input of a configuration: the workload of its sources, changed by the other options. */
async function configure(
  given: Given<typeof runConfigSchema>,
  sources: WorkloadSources,
): Promise<Configured> {
  const { workload, loop, warnings, phases: ofModule } = await workloadOf(sources, given.workload)
  const phases = phasesOf(given.phases ?? ofModule, workload['module'])
  const config = {
    ...loop,
    ...lengthOf(given.rate, loop),
    ...(given.until == null ? {} : { runs: 30 }),
    // Phases that warm up leave nothing to do for another warm-up.
    ...(phases.some(({ warmup }) => warmup) ? { warmupMs: 0 } : {}),
    ...given,
    ...(given.save == null ? {} : { reset: 'commands' }),
    workload,
    phases,
  }
  return { config, warnings }
}

/** A run lasts as long as the stages of its rate, unless it is told how long. */
function lengthOf(rate: RatePlan | null | undefined, loop: object): object {
  const stagesMs = rate == null ? 0 : planLength(rate)
  return stagesMs === 0 || 'durationMs' in loop ? {} : { durationMs: stagesMs }
}

function phasesOf(given: unknown, module: unknown): readonly Phase[] {
  return given === undefined ? [] : givenPhases(given, (module ?? null) as Parameters<typeof givenPhases>[1])
}
