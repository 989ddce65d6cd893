import type { Figure } from '../../report/figure.ts'
import { htmlTable } from '../../report/html-table.ts'
import { formatMs } from '../../report/words/units.ts'
import type { FigureTables } from '../../study/study-report.ts'
import type { DrivenResult } from '../result.ts'
import { percentileText } from './words.ts'

/** The percentiles of a figure beside it. Figures over time have none: their numbers are in the files. */
export function figureTables(
  { group, series, tables: [table] }: Figure,
  _result: DrivenResult,
): FigureTables {
  if (group !== 'latency' || table === undefined) return { beside: '', below: '' }
  const rows = table.rows.map((row) => [
    percentileText(row[0] as number),
    ...series.map(({ column }) => cell(row[column])),
  ])
  return { beside: htmlTable('times', ['percentile', ...series.map(({ name }) => name)], rows), below: '' }
}

function cell(ms: number | null | undefined): string {
  return typeof ms === 'number' ? formatMs(ms) : '–'
}
