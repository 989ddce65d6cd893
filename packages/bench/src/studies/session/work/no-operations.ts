import { type Workload, workloadSchema } from '../../../operations/workload.ts'

/** In the place of a workload, where a program does other work. */
export const noOperations: Workload = workloadSchema.parse({
  name: 'sessions',
  records: 1,
  mix: { read: 1 },
  keys: { kind: 'uniform' },
  values: { kind: 'constant', length: 1 },
})
