export { formatSize, parseSize } from './data/size-list.ts'
export { markdownOf as markdownTable, type ReportTable, textOf as textTable } from './report/report-table.ts'
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
