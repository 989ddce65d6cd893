export type { LoadConfig } from './config.ts'
export { load } from './load.ts'
export type { LoadResult, TableResult } from './result.ts'
