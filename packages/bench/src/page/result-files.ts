import { rowsCsv } from '../cube/rows-csv.ts'
import { csvText, datText } from '../report/files/column-text.ts'
import { gnuplotScript } from '../report/files/gnuplot.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import { reportPage } from './page.ts'
import { rowsJson } from './rows-json.ts'

/** Every file of a result folder, by name. A pure function of the result. */
export function resultFiles(study: AnyStudy, result: AnyResult): Map<string, string> {
  const { report } = study
  const files = new Map([
    ['result.json', `${resultJson(result)}\n`],
    ['report.html', reportPage(study, result)],
    ['plots.gp', gnuplotScript(report.figures(result))],
    ['rows.csv', rowsCsv(report.rows(result))],
    ['rows.json', rowsJson(study, result)],
  ])
  for (const table of report.tables(result)) {
    files.set(`${table.name}.dat`, datText(table))
    files.set(`${table.name}.csv`, csvText(table))
  }
  for (const [name, content] of report.files?.(result) ?? []) files.set(name, content)
  return files
}

/** Readable JSON; lists of numbers and pairs stand in one line each, since a result may hold thousands. */
function resultJson(result: AnyResult): string {
  return JSON.stringify(result, null, 2)
    .replace(/\[\s+(-?[\d.e+-]+),\s+(-?[\d.e+-]+)\s+\]/g, '[$1,$2]')
    .replace(/(\[-?[\d.e+-]+,-?[\d.e+-]+\],)\s+(?=\[-?\d)/g, '$1')
}
