export type { LoadConfig } from './config.ts'
export { configure as loadConfigure } from './configure.ts'
export { load } from './load.ts'
export type { LoadResult, TableResult } from './result.ts'
