import { StoreError } from '@unikv/core'
import type { WorkloadSources } from '../../driven/given/sources.ts'
import { workloadOf } from '../../driven/given/workload-of.ts'
import type { Given } from '../../options/plain.ts'
import type { Configured } from '../../study/study.ts'
import { checkTableName } from '../../tables/table.ts'
import type { loadConfigSchema } from './config.ts'

/** The input of a configuration: the records of a workload. */
export async function configure(
  given: Given<typeof loadConfigSchema>,
  sources: WorkloadSources,
): Promise<Configured> {
  const { table } = given
  if (table === undefined) throw invalid('Name the table: --table NAME.')
  checkTableName(table)
  if (given.replace === true && given.delete === true)
    throw invalid('Choose --replace or --delete, not both.')
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
  throw invalid(`${idle[1]} says nothing beside --delete, which loads no records. Leave it out.`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
