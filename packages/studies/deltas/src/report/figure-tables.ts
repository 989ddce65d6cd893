import { formatSize } from '@unikv/workload/data'
import { type Figure, type FigureTables, formatMs, htmlTable, tooFewRuns } from '@unikv/workload/report'
import type { DeltasResult } from '../result.ts'

/** The means of a figure beside it. */
export function figureTables({ series, tables: [table] }: Figure, _result: DeltasResult): FigureTables {
  if (table === undefined) return { beside: '', below: '' }
  const rows = table.rows.map((row) => [
    formatSize(row[0] as number),
    ...series.map(({ column, halfWidthColumn = 0 }) => cell(row[column], row[halfWidthColumn])),
  ])
  const head = ['size', ...series.map(({ name }) => name)]
  return { beside: htmlTable('mean ± 95 % CI', head, rows), below: '' }
}

function cell(ms: number | null | undefined, halfWidthMs: number | null | undefined): string {
  if (typeof ms !== 'number') return '–'
  const isKnown = typeof halfWidthMs === 'number' && halfWidthMs < ms
  return `${formatMs(ms)}<small>${isKnown ? `± ${formatMs(halfWidthMs)}` : tooFewRuns}</small>`
}
