import type { DataSource } from '../data/data-source.ts'
import type { Driver, LoadHooks } from '../drive/driver.ts'
import type { LoadSample } from '../drive/sample.ts'
import type { Workload } from '../operations/workload.ts'
import type { Table } from './table.ts'
import type { TableRecord } from './table-record.ts'

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
