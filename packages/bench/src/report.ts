export {
  type Comparison,
  comparison,
  comparisonMarkdown,
  comparisonOfSides,
  comparisonOverTime,
} from './compare/comparison.ts'
export { joinedPage } from './compare/joined.ts'
export type { NamedResult } from './compare/sides.ts'
export { LiveRun } from './page/live-run.ts'
export { checkResultFolder, writeResultFolder } from './page/result-folder.ts'
export { CellFolder, FolderClaim } from './page/run-folder.ts'
export { markdownReport, textReport } from './page/text-report.ts'
export { promiseOf } from './run/result.ts'
export { parseResult } from './study/result-file.ts'
