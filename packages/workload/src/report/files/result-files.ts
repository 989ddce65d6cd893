import type { AnyResult, AnyStudy } from '../../study/study.ts'
import { reportPage } from '../page.ts'
import { csvText, datText } from './column-text.ts'
import { gnuplotScript } from './gnuplot.ts'

/** Every file of a result folder, by name. A pure function of the result. */
export function resultFiles(study: AnyStudy, result: AnyResult): Map<string, string> {
  const { report } = study
  const files = new Map([
    ['result.json', `${JSON.stringify(result, null, 2)}\n`],
    ['report.html', reportPage(study, result)],
    ['plots.gp', gnuplotScript(report.figures(result))],
  ])
  for (const table of report.tables(result)) {
    files.set(`${table.name}.dat`, datText(table))
    files.set(`${table.name}.csv`, csvText(table))
  }
  return files
}
