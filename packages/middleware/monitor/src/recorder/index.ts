export type { Features, OperationFeatures, WindowFeatures } from './features.ts'
export { type HistoryPoint, type HistoryQuery } from './history.ts'
export { type KeptHistory, keptHistory, type LiveOptions, type LiveProcess } from './kept-history.ts'
export type { Keeper } from './kept-records.ts'
export type { MachineLoad, MachineLoads } from './machines.ts'
export type { Resolution } from './periods.ts'
export { checkPolicies, type Policy, type Violation, violationOf } from './policies.ts'
export type { ProcessLoad } from './process-load.ts'
export { checkRecorder, type RecorderOptions, recorder } from './recorder.ts'
export type {
  MarkedWindow,
  Recorder,
  RecorderEvent,
  Window,
} from './recorder-api.ts'
export type { Resource } from './saturation.ts'
export type { ServerFeatures } from './servers.ts'
export { type WindowName, windowMs } from './windows.ts'
