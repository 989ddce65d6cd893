import { StoreError } from '@unikv/core'
import { keyNames } from '../keys/key-names.ts'
import { recordsOf } from '../operations/context-of.ts'
import { mixOf, type Workload } from '../operations/workload.ts'
import { clearNamespace } from '../run/run-namespace.ts'
import { checkMatches, type Expected } from './matches.ts'
import type { Table } from './table.ts'
import type { TableRecord } from './table-record.ts'

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
    if (await table.isAtWork(record.changedBy)) throw isInUse(table)
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

function isInUse({ name }: Table): StoreError {
  const message = `Another run inserts into the table ${name} now, and will delete what it inserted. Wait for its end, or use another table.`
  return new StoreError('INVALID_ARGUMENT', message)
}
