export type { RunConfig } from './config.ts'
export type { RunResult } from './result.ts'
export { run } from './run.ts'
