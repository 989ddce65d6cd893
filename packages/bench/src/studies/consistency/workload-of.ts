import { type Workload, workloadSchema } from '../../operations/workload.ts'
import type { ConsistencyConfig } from './config.ts'

/** Reads and updates of records that all keys are alike likely to be in. */
export function workloadOf({
  records,
  valueSize,
  readShare,
}: Pick<ConsistencyConfig, 'records' | 'valueSize' | 'readShare'>): Workload {
  return workloadSchema.parse({
    name: 'reads and updates',
    records,
    mix: { read: readShare, update: 100 - readShare },
    keys: { kind: 'uniform' },
    values: { kind: 'constant', length: valueSize },
  })
}
