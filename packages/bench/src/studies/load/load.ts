import { largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { workloadSources } from '../../driven/given/sources.ts'
import type { DrivenCell } from '../../driven/plan.ts'
import { option } from '../../options/option.ts'
import type { Study } from '../../study/study.ts'
import { check } from './check.ts'
import { type LoadConfig, loadConfigSchema } from './config.ts'
import { configure } from './configure.ts'
import type { LoadRecord } from './load-runner.ts'
import { report } from './report/report.ts'
import { type LoadBody, loadBodyShape } from './result.ts'

/** Records of a workload that stay in stores as a table, for many runs. */
export const load: Study<LoadConfig, DrivenCell, LoadRecord, LoadBody> = {
  name: 'load',
  config: loadConfigSchema,
  sources: workloadSources.extend({
    workload: option(workloadSources.shape.workload, {
      help: 'module with the workload that will use the table',
    }),
  }),
  configure,
  formatVersion: 1,
  body: loadBodyShape,
  report,
  points: (config, data) => {
    largestValue(config.workload, data)
    return []
  },
  check,
  leastBytes: ({ workload }) => recordsBytes(workload),
  plan: ({ stores }) => stores.map(({ name }) => ({ run: 1, point: 0, store: name, phase: null })),
  nameOf: ({ store }) => store,
  leastMsOf: () => 0,
  labelOf: ({ store }) => store,
  runner: async (context) => {
    const { LoadRunner } = await import('./load-runner.ts')
    return new LoadRunner(context)
  },
  aggregate: (_subject, records) => ({ tables: records.map(({ result }) => result) }),
}
