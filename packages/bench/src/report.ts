export { compareResults, compareSides } from './compare/compare-results.ts'
export {
  comparisonFindings,
  comparisonHeadline,
  comparisonTables,
  hasRegression,
  isUntold,
} from './compare/comparison-report.ts'
export { historyOf } from './compare/history.ts'
export {
  hasWorsened,
  historyFindings,
  historyHeadline,
  historyTable,
  isUnknown,
} from './compare/history-report.ts'
export { joinedFindings, joinedResult } from './compare/joined.ts'
export { type ComparedPair, type NamedResult } from './compare/sides.ts'
export { reportPage } from './page/page.ts'
export { resultFiles } from './page/result-files.ts'
export { checkResultFolder, writeResultFolder } from './page/result-folder.ts'
export { CellFolder, FolderClaim } from './page/run-folder.ts'
export { markdownReport, textReport } from './page/text-report.ts'
export { promiseOf } from './run/result.ts'
export { parseResult } from './study/result-file.ts'
