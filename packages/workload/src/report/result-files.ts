import type { SizesResult } from '../sizes/result.ts'
import { csvText, datText } from './column-text.ts'
import { figures } from './figure.ts'
import { gnuplotScript } from './gnuplot.ts'
import { reportPage } from './page.ts'
import { tables } from './table.ts'

/** Every file of a result folder, by name. A pure function of the result. */
export function resultFiles(result: SizesResult): Map<string, string> {
  const files = new Map([
    ['result.json', `${JSON.stringify(result, null, 2)}\n`],
    ['report.html', reportPage(result)],
    ['plots.gp', gnuplotScript(figures(result))],
  ])
  for (const table of tables(result)) {
    files.set(`${table.name}.dat`, datText(table))
    files.set(`${table.name}.csv`, csvText(table))
  }
  return files
}
