export {
  type ComparedFigure,
  type ComparedPair,
  type CompareOptions,
  compareResults,
  type NamedResult,
} from './compare/compare-results.ts'
export { comparisonFindings, comparisonTables, hasRegression } from './compare/comparison-report.ts'
export type { RunConfig } from './config.ts'
export type { RunResult } from './result.ts'
export { run } from './run.ts'
