export { compareResults, compareSides } from './compare/compare-results.ts'
export type { ComparedPair } from './compare/compared.ts'
export {
  comparisonFindings,
  comparisonHeadline,
  comparisonTables,
  hasRegression,
  isUntold,
} from './compare/comparison-report.ts'
export type { NamedResult } from './compare/differences.ts'
export { historyOf } from './compare/history.ts'
export {
  hasWorsened,
  historyFindings,
  historyHeadline,
  historyTable,
  isUnknown,
} from './compare/history-report.ts'
export { joinedFindings, joinedResult } from './compare/joined.ts'
export { CellFolder } from './page/cell-folder.ts'
export { FolderClaim } from './page/folder-claim.ts'
export { reportPage } from './page/page.ts'
export { resultFiles } from './page/result-files.ts'
export { checkResultFolder, writeResultFolder } from './page/result-folder.ts'
export { markdownReport, textReport } from './page/text-report.ts'
export { promiseOf } from './run/durability-words.ts'
export { parseResult } from './study/result-file.ts'
