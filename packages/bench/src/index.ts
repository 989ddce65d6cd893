export {
  defineWorkload,
  type OwnCaller,
  type OwnContext,
  type OwnOperation,
  type OwnPhase,
  type OwnPlace,
  type OwnSessions,
  type OwnSessionsRun,
  type OwnWorkload,
} from './own/define-workload.ts'
export type { BenchInput } from './run/bench-run.ts'
export type { BenchCell, BenchEvent, CellProgress, FinishedCell } from './run/events.ts'
export type { DataInfo, Environment, RunResult, StoreInfo } from './run/result.ts'
export { type CommandOptions, type EndedCommand, runCommand } from './run/run-command.ts'
export { benchNamespace, clearNamespace, type RunNamespace } from './run/run-namespace.ts'
export type {
  CacheTarget,
  InProcessCacheTarget,
  ReaderTarget,
  RemoteCacheTarget,
  ShareMode,
  StoreTarget,
} from './run/target.ts'
export type { CellStore } from './study/kept-cells.ts'
export { runStudy, type StudyInput } from './study/run-study.ts'
export type {
  AnyResult,
  AnyStudy,
  CellRunner,
  Configured,
  Judgement,
  Study,
  StudyContext,
  StudyRecord,
  StudyResult,
  StudySubject,
} from './study/study.ts'
export { milliseconds, type StudyConfig, studyConfig, studyShape } from './study/study-config.ts'
