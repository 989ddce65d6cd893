export { escapeHtml } from './report/escape-html.ts'
export type { Figure, FigureAxis, FigureMoment, FigureSeries } from './report/figure.ts'
export { CellFolder } from './report/files/cell-folder.ts'
export { FileNames } from './report/files/file-names.ts'
export { FolderClaim } from './report/files/folder-claim.ts'
export { resultFiles } from './report/files/result-files.ts'
export { checkResultFolder, writeResultFolder } from './report/files/result-folder.ts'
export { htmlTable } from './report/html-table.ts'
export { type JoinedResults, reportPage } from './report/page.ts'
export { markdownOf as markdownTable, type ReportTable, textOf as textTable } from './report/report-table.ts'
export { serverText } from './report/setup.ts'
export type { Table } from './report/table.ts'
export { markdownReport, textReport } from './report/text-report.ts'
export { durabilitiesOf, promiseOf } from './report/words/durability-words.ts'
export { listed } from './report/words/listed.ts'
export { percent } from './report/words/percent.ts'
export {
  formatCallers,
  formatCount,
  formatDuration,
  formatExact,
  formatInterval,
  formatLength,
  formatMs,
  formatTimes,
  noIntervalText,
  variesTooMuch,
} from './report/words/units.ts'
export { wrapped } from './report/words/wrapped.ts'
export { parseResult } from './study/result-file.ts'
export type { FigureTables, ReportSection, SetupLine, StudyReport } from './study/study-report.ts'
