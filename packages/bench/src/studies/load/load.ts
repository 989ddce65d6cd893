import { StoreError } from '@unikv/core'
import { checkWorkload, largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { workloadSources } from '../../driven/given/sources.ts'
import type { DrivenCell } from '../../driven/plan.ts'
import { option } from '../../options/option.ts'
import type { Study, StudySubject } from '../../study/study.ts'
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

/** Refuse, before anything is sent, stores in which a table cannot stay. */
function check({ config, stores }: StudySubject<LoadConfig>): void {
  const forgetful = stores.find(({ store }) => store.name === 'memory')
  if (forgetful !== undefined) {
    const message = `${forgetful.name} keeps its records in this process, so a table would be gone with it. Use bench run without --table.`
    throw new StoreError('UNSUPPORTED', message)
  }
  if (config.threads > 1 && config.workers > 0)
    throw new StoreError(
      'INVALID_ARGUMENT',
      '--threads and --workers divide a load in two ways: give one of them.',
    )
  // Only the lengths of values matter here, not the operations that will come.
  checkWorkload({ ...config.workload, mix: { update: 1 } }, stores)
}
