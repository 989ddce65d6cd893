import type { LoopPlan } from '../../drive/driver.ts'
import type { Workload } from '../../operations/workload.ts'
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
