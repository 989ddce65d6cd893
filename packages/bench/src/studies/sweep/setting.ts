import type { LoopPlan } from '../../drive/driver.ts'
import type { Workload } from '../../operations/workload.ts'
import type { StudySubject } from '../../study/study.ts'
import type { AxisField } from './axis.ts'
import type { SweepConfig } from './config.ts'
import type { SweepLoad } from './loads.ts'

/** How a store is driven at one value of the axis. */
export interface Setting {
  readonly workload: Workload
  readonly concurrency: number
  readonly threads: number
}

const changes: Readonly<Record<AxisField, (setting: Setting, value: number) => Setting>> = {
  concurrency: (setting, concurrency) => ({ ...setting, concurrency }),
  threads: (setting, threads) => ({ ...setting, threads }),
  records: (setting, records) => withWorkload(setting, { records }),
  'value-size': (setting, length) => withWorkload(setting, { values: { kind: 'constant', length } }),
  batch: (setting, batch) => withWorkload(setting, { batch }),
  'scan-length': (setting, length) => withWorkload(setting, { scan: { kind: 'constant', length } }),
  'read-share': (setting, share) => withWorkload(setting, { mix: { read: share, update: 100 - share } }),
}

/** The setting of a load at a value of the axis. */
export function settingOf(
  { workload, concurrency, threads, over }: SweepConfig,
  { mix }: SweepLoad,
  value: number,
): Setting {
  return changes[over.field]({ workload: { ...workload, mix }, concurrency, threads }, value)
}

/** The loop of a setting: each caller waits for its answer. */
export function loopOf({ concurrency }: Setting): LoopPlan {
  return { concurrency, rate: null, arrivals: 'constant', maxInFlight: 1, whenFull: 'queue' }
}

/** Settings with the same text can share one driver and the records that it loaded. */
export function recordsKey({ workload, threads }: Setting): string {
  const { records, firstRecord, keyNames, values, module } = workload
  return JSON.stringify({ records, firstRecord, keyNames, values, module, threads })
}

function withWorkload(setting: Setting, fields: Partial<Workload>): Setting {
  return { ...setting, workload: { ...setting.workload, ...fields } }
}

/** One run of a load over one store at one value, or the loading of the records for several. */
export interface SweepCell {
  /** 0 loads and warms up, and is not counted; measured runs count from 1. */
  readonly run: number
  /** Index of the value. */
  readonly point: number
  readonly store: string
  readonly load: SweepLoad
  readonly value: number
}

/** Records once for each set and store; then each run goes through values, stores and loads. */
export function planSweep({
  config,
  stores,
}: Pick<StudySubject<SweepConfig>, 'config' | 'stores'>): SweepCell[] {
  const names = stores.map(({ name }) => name)
  const runs = Array.from({ length: config.runs }, (_, index) => index + 1)
  return [...firstCells(config, names), ...runs.flatMap((run) => cellsOf(config, names, run))]
}

/** All cells of a run; each run begins with another store. */
export function cellsOf({ over, loads }: SweepConfig, stores: readonly string[], run: number): SweepCell[] {
  const turned = stores.map((_, index) => stores[(index + run) % stores.length] as string)
  return over.values.flatMap((value, point) =>
    turned.flatMap((store) => loads.map((load): SweepCell => ({ run, point, store, load, value }))),
  )
}

/** The first cell of each set of records in each store. */
function firstCells(config: SweepConfig, stores: readonly string[]): SweepCell[] {
  const seen = new Set<string>()
  return cellsOf(config, stores, 0).filter((cell) => {
    const key = `${cell.store} ${recordsKey(settingOf(config, cell.load, cell.value))}`
    return !seen.has(key) && seen.add(key)
  })
}
