import { StoreError } from '@unikv/core'
import { checkWorkload, largestValue, recordsBytes } from '../../driven/check-workload.ts'
import { workloadOf } from '../../driven/given/workload-of.ts'
import { type WorkloadSources, workloadSources } from '../../driven/given/ycsb-base.ts'
import type { DrivenCell } from '../../driven/runs.ts'
import { type Given, option } from '../../options/option.ts'
import { wrong } from '../../study/faults.ts'
import type { Configured, Study, StudySubject } from '../../study/study.ts'
import { checkTableName } from '../../tables/table.ts'
import { type LoadBody, type LoadConfig, loadBodyShape, loadConfigSchema } from './config.ts'
import type { LoadRecord } from './load-runner.ts'
import { report } from './report.ts'

/** The input of a configuration: the records of a workload. */
async function configure(
  given: Given<typeof loadConfigSchema>,
  sources: WorkloadSources,
): Promise<Configured> {
  const { table } = given
  if (table === undefined) throw wrong('Name the table: --table NAME.')
  checkTableName(table)
  if (given.replace === true && given.delete === true) throw wrong('Choose --replace or --delete, not both.')
  if (given.delete === true)
    refuseRecords({ ...sources, ...given.workload, ...given, workload: sources.workload })
  const { workload, warnings } = await workloadOf(sources, given.workload)
  return { config: { ...given, workload }, warnings }
}

/** Options that say how records are loaded. */
const ofRecords: Readonly<Record<string, string>> = {
  preset: '--preset',
  propertyFile: '-P',
  property: '-p',
  workload: '--workload',
  records: '--records',
  values: '--value-size',
  threads: '--threads',
  workers: '--workers',
}

function refuseRecords(fields: Readonly<Record<string, unknown>>): void {
  const idle = Object.entries(ofRecords).find(([field]) => fields[field] !== undefined)
  if (idle === undefined) return
  throw wrong(`${idle[1]} says nothing beside --delete, which loads no records. Leave it out.`)
}

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
  checkData: ({ workload }, data) => largestValue(workload, data),
  check,
  leastBytes: ({ workload }) => recordsBytes(workload),
  plan: ({ stores }) => stores.map(({ name }) => ({ run: 1, point: 0, store: name, phase: null })),
  nameOf: ({ store }) => store,
  labelOf: ({ store }) => store,
  runner: async (context) => new (await import('./load-runner.ts')).LoadRunner(context),
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
    throw wrong('--threads and --workers divide a load in two ways: give one of them.')
  // Only the lengths of values matter here, not the operations that will come.
  checkWorkload({ ...config.workload, mix: { update: 1 } }, stores)
}
