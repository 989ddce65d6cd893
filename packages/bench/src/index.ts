export {
  defineWorkload,
  type OwnContext,
  type OwnOperation,
  type OwnWorkload,
} from './own/define-workload.ts'
export type { BenchInput } from './run/bench-run.ts'
export type { BenchCell, BenchEvent, FinishedCell } from './run/progress.ts'
export { runCommand } from './run/run-command.ts'
export type { CacheTarget, ReaderTarget, ShareMode, StoreTarget } from './run/target.ts'
export { runStudy, type StudyInput } from './study/run-study.ts'
export type { AnyResult, AnyStudy, Study, StudyRecord, StudyResult } from './study/study.ts'
export { type StudyConfig, studyConfig } from './study/study-config.ts'
