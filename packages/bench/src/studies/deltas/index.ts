export { type DeltasConfig } from './config.ts'
export { deltas } from './deltas.ts'
export type { DeltaPoint, DeltasResult } from './result.ts'
