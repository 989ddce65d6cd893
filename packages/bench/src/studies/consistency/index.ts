export type { ConsistencyConfig } from './config.ts'
export { consistency } from './consistency.ts'
export type { ConsistencyResult, ReaderResult, StaleResult } from './result.ts'
