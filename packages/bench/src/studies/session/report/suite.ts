import { joinedFindings, joinedResult } from '../../../compare/joined.ts'
import type { NamedResult } from '../../../compare/sides.ts'
import { reportPage } from '../../../page/page.ts'
import { resultFiles } from '../../../page/result-files.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import type { SessionResult } from '../result.ts'
import { jobTable } from './tables.ts'

/** The page of all jobs of a suite and the files beside it, by name, and the table of the jobs. */
export function suiteOf(results: readonly NamedResult[]): {
  readonly files: ReadonlyMap<string, string>
  readonly table: ReportTable
} {
  const [{ study }] = results as readonly [NamedResult]
  const jobs = results.flatMap(({ name, result }) =>
    (result as SessionResult).jobs.map((one) => ({ ...one, name })),
  )
  const joined = { ...(joinedResult(results) as SessionResult), jobs }
  const page = reportPage(study, joined, {
    findings: joinedFindings(results),
    folders: results.map(({ name }) => name),
  })
  const files = Array.from(resultFiles(study, joined)).filter(([name]) => isOfSuite.test(name))
  return { files: new Map([...files, ['report.html', page]]), table: jobTable(joined) }
}

/** A suite has no `result.json`: each of its jobs has one. */
const isOfSuite = /\.(html|dat|csv|gp)$|^rows\.json$/
