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
export { escapeHtml } from './report/escape-html.ts'
export type { Figure, FigureAxis, FigureMoment, FigureSeries } from './report/figure.ts'
export { CellFolder } from './report/files/cell-folder.ts'
export { FileNames } from './report/files/file-names.ts'
export { FolderClaim } from './report/files/folder-claim.ts'
export { resultFiles } from './report/files/result-files.ts'
export { checkResultFolder, writeResultFolder } from './report/files/result-folder.ts'
export { htmlTable } from './report/html-table.ts'
export { type JoinedResults, reportPage } from './report/page.ts'
export { serverText } from './report/setup.ts'
export type { Table } from './report/table.ts'
export { markdownReport, textReport } from './report/text-report.ts'
export { durabilitiesOf, promiseOf } from './report/words/durability-words.ts'
export { parseResult } from './study/result-file.ts'
export type { FigureTables, ReportSection, SetupLine, StudyReport } from './study/study-report.ts'
