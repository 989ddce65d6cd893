export { formatSize, parseSize } from './data/size-list.ts'
export { markdownOf as markdownTable, type ReportTable, textOf as textTable } from './report/report-table.ts'
export {
  formatCallers,
  formatCount,
  formatDuration,
  formatExact,
  formatLength,
  formatMs,
} from './report/words/units.ts'
export { wrapped } from './report/words/wrapped.ts'
