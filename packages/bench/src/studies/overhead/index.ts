export type { OverheadConfig } from './config.ts'
export { overhead } from './overhead.ts'
export type { OverheadResult } from './result.ts'
