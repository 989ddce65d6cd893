export { durabilitiesOf } from './report/durability-words.ts'
export { escapeHtml } from './report/escape-html.ts'
export type { Figure, FigureSeries } from './report/figure.ts'
export { FileNames } from './report/file-names.ts'
export { htmlTable } from './report/html-table.ts'
export { listed } from './report/listed.ts'
export { percent } from './report/percent.ts'
export type { ReportTable } from './report/report-table.ts'
export { resultFiles } from './report/result-files.ts'
export { checkResultFolder, writeResultFolder } from './report/result-folder.ts'
export { serverText } from './report/setup.ts'
export type { Table } from './report/table.ts'
export { markdownReport, textReport } from './report/text-report.ts'
export {
  formatCount,
  formatDuration,
  formatInterval,
  formatMs,
  formatTimes,
  tooFewRuns,
} from './report/units.ts'
export { wrapped } from './report/wrapped.ts'
export type { FigureTables, ReportSection, SetupLine, StudyReport } from './study/study-report.ts'
