import { formatSize } from '../../../data/size-list.ts'
import type { Figure } from '../../../report/figure.ts'
import { htmlTable } from '../../../report/html-table.ts'
import { formatMs, noIntervalText } from '../../../report/words/units.ts'
import type { FigureTables } from '../../../study/study-report.ts'
import type { DeltasResult } from '../result.ts'

/** The means of a figure beside it. */
export function figureTables(
  { series, tables: [table] }: Figure,
  { config: { runs } }: DeltasResult,
): FigureTables {
  if (table === undefined) return { beside: '', below: '' }
  const rows = table.rows.map((row) => [
    formatSize(row[0] as number),
    ...series.map(({ column, halfWidthColumn = 0 }) => cell(row[column], row[halfWidthColumn], runs)),
  ])
  const head = ['size', ...series.map(({ name }) => name)]
  return { beside: htmlTable('mean ± 95 % CI', head, rows), below: '' }
}

function cell(ms: number | null | undefined, halfWidthMs: number | null | undefined, runs: number): string {
  if (typeof ms !== 'number') return '–'
  const isKnown = typeof halfWidthMs === 'number' && halfWidthMs < ms
  return `${formatMs(ms)}<small>${isKnown ? `± ${formatMs(halfWidthMs)}` : noIntervalText(runs)}</small>`
}
