export { formatSize, parseSize } from './data/size-list.ts'
export { type ReportTable, textOf as textTable } from './report/report-table.ts'
export {
  formatCallers,
  formatCount,
  formatDuration,
  formatExact,
  formatLength,
  formatMs,
  wrapped,
} from './report/words.ts'
