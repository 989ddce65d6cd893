export { type CompareOptions, compareResults, compareSides } from './compare/compare-results.ts'
export type { ComparedFigure, ComparedPair } from './compare/compared.ts'
export {
  comparisonFindings,
  comparisonHeadline,
  comparisonTables,
  hasRegression,
  isUntold,
} from './compare/comparison-report.ts'
export type { NamedResult } from './compare/differences.ts'
export {
  type ChangePoint,
  type History,
  type HistoryFigure,
  type HistoryOptions,
  historyOf,
} from './compare/history.ts'
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
export { type JoinedResults, reportPage } from './page/page.ts'
export { resultFiles } from './page/result-files.ts'
export { checkResultFolder, writeResultFolder } from './page/result-folder.ts'
export { serverText } from './page/setup.ts'
export { markdownReport, textReport } from './page/text-report.ts'
export { escapeHtml } from './report/escape-html.ts'
export type { Figure, FigureAxis, FigureMoment, FigureSeries } from './report/figure.ts'
export { FileNames } from './report/files/file-names.ts'
export { htmlTable } from './report/html-table.ts'
export type { Table } from './report/table.ts'
export { durabilitiesOf, promiseOf } from './run/durability-words.ts'
export { parseResult } from './study/result-file.ts'
export type { FigureTables, ReportSection, SetupLine, StudyReport } from './study/study-report.ts'
