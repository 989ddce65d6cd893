export {
  type ComparedFigure,
  type ComparedPair,
  type CompareOptions,
  compareResults,
  type NamedResult,
} from './compare/compare-results.ts'
export { comparisonFindings, comparisonTables, hasRegression } from './compare/comparison-report.ts'
export type { RunConfig } from './config.ts'
export type { RunCell } from './plan.ts'
export type {
  Averaged,
  Latency,
  OpenSample,
  OperationResult,
  RunBody,
  RunResult,
  RunSample,
  TargetResult,
} from './result.ts'
export { run } from './run.ts'
