import type { Study } from '@unikv/workload'
import { type RunRecord, targetResults } from './aggregate.ts'
import { check, largestValue } from './check.ts'
import { type RunConfig, runConfigSchema } from './config.ts'
import { configure } from './configure.ts'
import { runInputs, runTexts } from './inputs.ts'
import { judge } from './judge.ts'
import { planRuns, type RunCell } from './plan.ts'
import { report } from './report/report.ts'
import type { RunBody } from './result.ts'
import { runBodyShape } from './result-schema.ts'
import { RunRunner } from './run-runner.ts'
import { thresholdResults } from './thresholds/verdicts.ts'

/** A workload of operations over one or more stores: throughput, latencies, misses and failures. */
export const run: Study<RunConfig, RunCell, RunRecord, RunBody> = {
  name: 'run',
  summary: 'drive stores with a mix of operations: throughput and latency of each',
  config: runConfigSchema,
  inputs: runInputs,
  configure,
  texts: runTexts,
  formatVersion: 1,
  body: runBodyShape,
  report,
  points: (config, data) => {
    largestValue(config, data)
    return []
  },
  check,
  plan: ({ config, stores }) =>
    planRuns(
      config.runs,
      stores.map(({ name }) => name),
    ),
  nameOf: ({ store, run: number }) => `${store} ${number === 0 ? 'load' : ''}`,
  leastMsOf: () => 0,
  labelOf: ({ store }) => store,
  runner: (context) => new RunRunner(context),
  judge,
  aggregate: ({ config, stores }, records) => {
    const targets = targetResults(stores, records)
    return { targets, thresholds: thresholdResults(config.failIf, targets) }
  },
}
