import { StoreError } from '@unikv/core'
import type { GivenWorkload } from '../../driven/given/given.ts'
import { workloadOf } from '../../driven/given/workload-of.ts'
import type { Configured } from '../../study/study.ts'
import { checkTableName } from '../../tables/table.ts'

interface Given extends GivenWorkload {
  readonly table?: string
  readonly replace?: boolean
  readonly delete?: boolean
}

/** The input of a configuration: the records of a workload. */
export async function configure(fields: Readonly<Record<string, unknown>>): Promise<Configured> {
  const given = fields as Given
  const { table } = given
  if (table === undefined) throw invalid('Name the table: --table NAME.')
  checkTableName(table)
  if (given.replace === true && given.delete === true)
    throw invalid('Choose --replace or --delete, not both.')
  if (given.delete === true) refuseRecords(fields)
  const { workload, warnings } = await workloadOf(given)
  const own = ['threads', 'workers', 'replace', 'delete', 'seed', 'timeoutMs', 'allowNonEmpty']
  const rest = Object.entries(fields).filter(([name]) => own.includes(name))
  return { config: { ...Object.fromEntries(rest), table, workload }, warnings }
}

/** Options that say how records are loaded. */
const ofRecords: Readonly<Record<string, string>> = {
  preset: 'preset',
  propertyFile: 'P',
  property: 'p',
  workload: 'workload',
  records: 'records',
  valueSize: 'value-size',
  threads: 'threads',
  workers: 'workers',
}

function refuseRecords(fields: Readonly<Record<string, unknown>>): void {
  const idle = Object.entries(ofRecords).find(([field]) => fields[field] !== undefined)
  if (idle === undefined) return
  const flag = idle[1].length === 1 ? `-${idle[1]}` : `--${idle[1]}`
  throw invalid(`${flag} says nothing beside --delete, which loads no records. Leave it out.`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
