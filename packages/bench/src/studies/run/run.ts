import { largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { workloadSources } from '../../driven/given/sources.ts'
import { judgeDriven } from '../../driven/judge.ts'
import { type DrivenCell, planRuns } from '../../driven/plan.ts'
import { targetText } from '../../driven/report/words.ts'
import { type DrivenBody, drivenBodyShape } from '../../driven/result.ts'
import { type DrivenRecord, drivenBody } from '../../driven/target-results.ts'
import type { Study } from '../../study/study.ts'
import { check } from './check.ts'
import { type RunConfig, runConfigSchema } from './config.ts'
import { configure } from './configure.ts'
import { isDone } from './is-done.ts'
import { report } from './report/report.ts'

/** A workload of operations over one or more stores: throughput, latencies, misses and failures. */
export const run: Study<RunConfig, DrivenCell, DrivenRecord, DrivenBody> = {
  name: 'run',
  config: runConfigSchema,
  sources: workloadSources,
  configure,
  formatVersion: 1,
  body: drivenBodyShape,
  report,
  points: (config, data) => {
    largestValue(config.workload, data)
    return []
  },
  check,
  leastBytes: ({ workload }) => recordsBytes(workload),
  plan: ({ config, stores }) => planRuns(config.runs, stores, phaseNames(config)),
  nameOf: (cell) => `${targetText(cell)} ${cell.run === 0 ? 'load' : ''}`,
  leastMsOf: () => 0,
  isDone,
  labelOf: targetText,
  runner: async (context) => {
    const { RunRunner } = await import('./run-runner.ts')
    return new RunRunner(context)
  },
  judge: judgeDriven,
  aggregate: ({ config, stores }, records) => drivenBody(stores, config.failIf, records),
}

function phaseNames({ phases }: RunConfig): readonly (string | null)[] {
  return phases.length === 0 ? [null] : phases.map(({ name }) => name)
}
