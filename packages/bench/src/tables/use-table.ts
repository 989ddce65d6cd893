import type { DataSource } from '../data/data-source.ts'
import type { Driver, LoadHooks, LoadSample } from '../drive/driver.ts'
import { keyNames } from '../keys/key-space.ts'
import { recordsOf } from '../operations/context.ts'
import { mixOf } from '../operations/mix.ts'
import type { Workload } from '../operations/workload.ts'
import { invalidArgument } from '../options/invalid.ts'
import { fastRandom } from '../random/random.ts'
import { clearNamespace } from '../run/run-namespace.ts'
import type { LengthLaw } from '../values/length-law.ts'
import { lengths } from '../values/lengths.ts'
import type { Table, TableRecord } from './table.ts'

/** A run over a table. */
export interface TableUse {
  readonly runId: string
  readonly workload: Workload
  readonly expected: Expected
}

/**
 * Begin a run over a table. Inserts of a run that was killed are deleted first.
 *
 * @returns the record of what is loaded
 * @throws {StoreError} `INVALID_ARGUMENT` if the table is not there, holds other records than the workload expects, or is
 * changed by another run
 */
export async function beginUse(table: Table, { runId, workload, expected }: TableUse): Promise<TableRecord> {
  const record = await table.loaded()
  checkMatches(table.name, record, expected)
  if (record.changedBy !== null) {
    if (await table.isAtWork(record.changedBy))
      throw invalidArgument(
        `Another run inserts into the table ${table.name} now, and will delete what it inserted. Wait for its end, or use another table.`,
      )
    await cleanUp(table, record)
  }
  if (changes(workload)) await table.write({ ...record, changedBy: runId })
  return record
}

/** End it: the next run finds the table as it was loaded. */
export async function endUse(table: Table, { runId }: Pick<TableUse, 'runId'>): Promise<void> {
  const record = await table.read()
  if (record?.changedBy !== runId) return
  await cleanUp(table, record)
  await table.write({ ...record, changedBy: null })
}

/** Operations that leave something behind. Updates give records other values of the same lengths. */
function changes(workload: Workload): boolean {
  return mixOf(workload).some(([name]) => ['insert', 'batch-insert', 'increment'].includes(name))
}

/** Inserts have the numbers after the loaded ones. So many of them in a row that are not there are the end of them. */
const gap = 2_000
const batch = 200

async function cleanUp(
  { keys }: Table,
  { firstRecord, records, keyNames: names }: TableRecord,
): Promise<void> {
  const keyOf = keyNames(names)
  const kv = recordsOf(keys)
  let lastSeen = firstRecord + records
  for (let next = lastSeen; next < lastSeen + gap; next += batch) {
    const inserted = Array.from({ length: batch }, (_, index) => keyOf(next + index))
    const isThere = await Promise.all(inserted.map((key) => kv.has(key)))
    const found = inserted.filter((_, index) => isThere[index] === true)
    if (found.length === 0) continue
    await kv.deleteMany(found)
    lastSeen = next + batch
  }
  await clearNamespace(keys.namespace('counters'))
}

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
function checkMatches(name: string, record: TableRecord, { workload, seed, data }: Expected): void {
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
  throw invalidArgument(message)
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

/** Records for a table. */
export interface TableLoad {
  readonly workload: Workload
  readonly seed: number
  readonly data: Pick<DataSource, 'description'>
  /** ISO 8601. */
  readonly now: string
}

/**
 * Load records into a table in the place of those that are in it. A load that fails leaves a table that is known as half
 * loaded.
 *
 * @throws an error of the store, or the reason of the signal
 */
export async function loadTable(
  table: Table,
  driver: Driver,
  load: TableLoad,
  hooks: LoadHooks,
): Promise<LoadSample> {
  const { workload } = load
  const record = recordOf(load)
  await table.write(record)
  const sample = await driver.load({ workload, first: workload.firstRecord, count: workload.records }, hooks)
  await table.write({ ...record, state: 'loaded', elapsedMs: sample.elapsedMs })
  return sample
}

function recordOf({ workload, seed, data, now }: TableLoad): TableRecord {
  const { records, firstRecord, keyNames, values } = workload
  return {
    formatVersion: 1,
    state: 'loading',
    records,
    firstRecord,
    keyNames,
    values,
    seed,
    data: data.description,
    loadedAt: now,
    elapsedMs: 0,
    changedBy: null,
  }
}
