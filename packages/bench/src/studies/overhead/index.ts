export type { OverheadConfig } from './config.ts'
export { overhead } from './overhead.ts'
export type { OverheadBody, OverheadResult, OverheadRow, OverheadTrend, SideResult } from './result.ts'
