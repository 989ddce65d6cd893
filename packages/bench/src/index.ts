export {
  defineWorkload,
  type OwnContext,
  type OwnWorkload,
} from './own/define-workload.ts'
export type { BenchEvent } from './run/progress.ts'
export { runCommand } from './run/run-command.ts'
export type { CacheTarget, StoreTarget } from './run/target.ts'
export { alikeIn, configured } from './study/configured.ts'
export { type Option, optionsOf } from './study/options-of.ts'
export { runStudy } from './study/run-study.ts'
export type { AnyResult, AnyStudy } from './study/study.ts'
export { type StudyConfig, studyConfig } from './study/study-config.ts'
