export type { RunConfig } from './config.ts'
export type { RunCell } from './plan.ts'
export type {
  Averaged,
  KindSample,
  Latency,
  LoadSample,
  OpenSample,
  OperationResult,
  RunBody,
  RunResult,
  RunSample,
  TargetResult,
} from './result.ts'
export { run } from './run.ts'
