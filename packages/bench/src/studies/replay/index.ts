export type { ReplayConfig } from './config.ts'
export { replay } from './replay.ts'
export type { ReplayResult } from './result.ts'
