export type { ReplayConfig, TraceFacts } from './config.ts'
export { configure as replayConfigure } from './configure.ts'
export { replay } from './replay.ts'
export type { ReplayResult } from './result.ts'
