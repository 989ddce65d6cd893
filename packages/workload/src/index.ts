export { type Arrivals, constantRate, poissonRate } from './loop/arrivals.ts'
export { type LoopClock, preciseClock, spinningClock, timerClock } from './loop/clock.ts'
export { type ClosedLoopOptions, closedLoop } from './loop/closed-loop.ts'
export type { KindResult, LoopResult, OpenLoopResult } from './loop/loop-result.ts'
export { type OpenLoopOptions, openLoop } from './loop/open-loop.ts'
export { type LoopObserver, type Operations, operations } from './loop/operations.ts'
export { Series, type SeriesInterval, type SeriesPoint } from './loop/series.ts'
export { type Invalidity, type InvalidReason, type VerdictLimits, verdict } from './loop/verdict.ts'
export type { BenchInput } from './run/bench-run.ts'
export type { BenchCell, BenchEvent, CellProgress, FinishedCell } from './run/events.ts'
export type { DataInfo, Environment, RunResult, StoreInfo } from './run/result.ts'
export { benchNamespace, clearNamespace, type RunNamespace } from './run/run-namespace.ts'
export type {
  CacheTarget,
  InProcessCacheTarget,
  RemoteCacheTarget,
  ShareMode,
  StoreTarget,
} from './run/target.ts'
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
  TextForm,
} from './study/study.ts'
export { milliseconds, type StudyConfig, studyConfig, studyShape } from './study/study-config.ts'
