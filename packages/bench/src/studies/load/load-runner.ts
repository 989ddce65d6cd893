import type { StoreError } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import type { Driver, LoadSample } from '../../drive/driver.ts'
import { driverOf } from '../../drive/driver-of.ts'
import type { DrivenCell } from '../../driven/runs.ts'
import type { StoreTarget } from '../../run/target.ts'
import { wrong } from '../../study/faults.ts'
import { loading, targetOf } from '../../study/running.ts'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import { Table, type TableRecord } from '../../tables/table.ts'
import { loadTable } from '../../tables/use-table.ts'
import type { LoadConfig, TableResult } from './config.ts'

/** A finished cell. */
export interface LoadRecord {
  readonly cell: DrivenCell
  readonly result: TableResult
}

/** Loads or deletes the table of each store. */
export class LoadRunner implements CellRunner<DrivenCell, LoadRecord> {
  readonly #context: StudyContext<LoadConfig>
  /** Records of earlier loads, by store; read from all stores before anything is written. */
  readonly #before = new Map<string, TableRecord | undefined>()
  readonly #drivers: Driver[] = []

  constructor(context: StudyContext<LoadConfig>) {
    this.#context = context
  }

  async run(cell: DrivenCell): Promise<LoadRecord> {
    const { stores, config } = this.#context
    if (this.#before.size === 0) for (const target of stores) await this.#look(target)
    const target = targetOf(this.#context, cell.store)
    const before = this.#before.get(target.name)?.records ?? null
    const { elapsedMs } = config.delete ? await this.#delete(target) : await this.#load(target)
    const { table } = config
    const records = config.delete ? 0 : config.workload.records
    return { cell, result: { store: target.name, table, records, before, elapsedMs } }
  }

  async close(): Promise<void> {
    await Promise.all(this.#drivers.map((driver) => driver.close()))
  }

  async #look(target: StoreTarget): Promise<void> {
    const { replace, delete: isDelete } = this.#context.config
    const table = this.#table(target)
    const found = await table.read().catch((error: unknown) => {
      // A record of another version can be replaced or deleted, like any.
      if (replace || isDelete) return undefined
      throw error
    })
    this.#before.set(target.name, found)
    if (found !== undefined && !replace && !isDelete)
      throw exists(table, target, found, this.#context.config.workload)
  }

  async #load(target: StoreTarget): Promise<LoadSample> {
    const { config, data, crew, signal } = this.#context
    const { workload } = config
    const table = this.#table(target)
    await table.clear()
    const driver = await driverOf({ ...config, target, namespace: table, data, crew, signal })
    this.#drivers.push(driver)
    const onProgress = loading(this.#context, target.name, workload.records)
    const now = new Date(wallClock()).toISOString()
    return loadTable(table, driver, { workload, seed: config.seed, data, now }, { signal, onProgress })
  }

  async #delete(target: StoreTarget): Promise<Pick<LoadSample, 'elapsedMs'>> {
    const table = this.#table(target)
    const startMs = wallClock()
    await table.remove()
    return { elapsedMs: wallClock() - startMs }
  }

  #table(target: StoreTarget): Table {
    const { table, timeoutMs } = this.#context.config
    return new Table(target, table, timeoutMs)
  }
}

function exists(
  { name }: Table,
  target: StoreTarget,
  { state, records, firstRecord }: TableRecord,
  wanted: Pick<LoadConfig['workload'], 'firstRecord'>,
): StoreError {
  const held =
    state === 'loaded'
      ? `is there already, with ${records.toLocaleString('en-US')} records`
      : 'is half loaded: an earlier load was cut short, or is still at work'
  const isPart = wanted.firstRecord !== firstRecord
  const advice = isPart
    ? 'A table is loaded by one command, which shares the work with --threads, or with --queue and --workers. --replace and --delete would remove what it holds.'
    : 'Use --replace to load it again, or --delete to delete it.'
  const message = `The table ${name} in ${target.name} ${held}. ${advice}`
  return wrong(message)
}
