export { type SweepConfig } from './config.ts'
export type { SweepResult } from './result.ts'
export { sweep } from './sweep.ts'
