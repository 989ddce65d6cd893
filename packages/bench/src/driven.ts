export { checkWorkload, largestValue, recordsBytes } from './driven/check-workload.ts'
export { parseRate } from './driven/given/rate.ts'
export { workloadOf } from './driven/given/workload-of.ts'
export { ycsbFields } from './driven/given/ycsb-base.ts'
export { hasLostWorker } from './driven/has-lost-worker.ts'
export { judgeDriven } from './driven/judge.ts'
export { type DrivenCell, planRuns } from './driven/plan.ts'
export { rateOf } from './driven/rate-of.ts'
export { drivenReport } from './driven/report/report.ts'
export { operationText, targetText } from './driven/report/words.ts'
export type {
  Averaged,
  DrivenBody,
  DrivenResult,
  Latency,
  OpenSample,
  OperationResult,
  ResetResult,
  RunSample,
  TargetResult,
  ThresholdResult,
} from './driven/result.ts'
export { averagedSchema, drivenBodyShape, latencySchema, operationSchema } from './driven/result.ts'
export { runSampleOf } from './driven/run-sample-of.ts'
export {
  averaged,
  type DrivenRecord,
  drivenBody,
  latencyOf,
  operationsOf,
} from './driven/target-results.ts'
export { checkThresholds } from './driven/thresholds/check-thresholds.ts'
export { RunningFigures } from './driven/thresholds/running-figures.ts'
export { parseThreshold, type Threshold, thresholdSchema } from './driven/thresholds/threshold.ts'
export { isBeyond } from './driven/thresholds/verdicts.ts'
export { parseDuration } from './options/forms.ts'
