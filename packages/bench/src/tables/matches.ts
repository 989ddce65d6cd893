import { StoreError } from '@unikv/core'
import type { Workload } from '../operations/workload.ts'
import { fastRandom } from '../random/random.ts'
import type { LengthLaw } from '../values/length-law.ts'
import { lengths } from '../values/lengths.ts'
import type { TableRecord } from './table-record.ts'

/** The records that a run expects in a table. */
export interface Expected {
  readonly workload: Workload
  readonly seed: number
  /** The data of the values, in words. */
  readonly data: string
}

/**
 * Refuse a workload that expects other records than a table holds.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with both
 */
export function checkMatches(name: string, record: TableRecord, { workload, seed, data }: Expected): void {
  const { records, firstRecord, keyNames, values } = record
  expectSame(name, 'records', count(records), count(workload.records), `--records ${records}`)
  expectSame(name, 'numbers from', String(firstRecord), String(workload.firstRecord))
  expectSame(name, 'names of keys', namesText(keyNames), namesText(workload.keyNames))
  expectSame(name, 'bytes of a value', lawText(values), lawText(workload.values))
  if (!workload.check) return
  // A value is known by the seed and the data that it was made of.
  expectSame(name, 'values by the seed', String(record.seed), String(seed), `--seed ${record.seed}`)
  expectSame(name, 'values of the data', record.data, data)
}

function expectSame(name: string, what: string, loaded: string, expected: string, option?: string): void {
  if (loaded === expected) return
  const use = option === undefined ? '' : `Use ${option}, or `
  const load = `oad it again: unikv bench load --table ${name} --replace.`
  const message = `The table ${name} was loaded with another workload. ${what}: ${loaded} in the table, ${expected} in the workload. ${use === '' ? 'L' : `${use}l`}${load}`
  throw new StoreError('INVALID_ARGUMENT', message)
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function namesText({ prefix, order, zeroPadding }: TableRecord['keyNames']): string {
  return `${prefix}, ${order}, ${zeroPadding} digits at least`
}

function lawText(law: LengthLaw): string {
  return lengths(law, fastRandom(0)).law
}
