import { histogramOf } from '@unikv/core/histogram'
import { statisticOf } from './cell.ts'
import type { Row } from './row.ts'

/** A line of the long form: a number, and which one of a distribution it is. */
interface Line {
  readonly row: Row
  /** Such as `p99`; empty for a value that is one number. */
  readonly statistic: string
  readonly unit: string
  readonly value: number
}

/**
 * Rows in the long form, one number a line, which pandas, R, gnuplot and DuckDB read as it is: store, a column for each dimension,
 * run, outcome, measure, statistic, unit, value (RFC 4180). A distribution is told by count, mean, least and largest value, and the
 * percentiles beyond which ten values lie.
 */
export function rowsCsv(rows: readonly Row[]): string {
  const dimensions = [...new Set(rows.flatMap((row) => Object.keys(row.dimensions)))]
  const head = ['store', ...dimensions, 'run', 'outcome', 'measure', 'statistic', 'unit', 'value']
  const lines = rows.flatMap(linesOf).map(({ row, statistic, unit, value }) => {
    const places = dimensions.map((name) => row.dimensions[name] ?? '')
    return [row.store, ...places, row.run ?? '', row.outcome, row.measure, statistic, unit, value]
  })
  return [head, ...lines].map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

const statistics = ['mean', 'min', 'max', 'p50', 'p90', 'p95', 'p99', 'p999', 'p9999'] as const

function linesOf(row: Row): readonly Line[] {
  const { value, unit } = row
  if (typeof value === 'number') return [{ row, statistic: row.statistic ?? '', unit, value }]
  const count: Line = { row, statistic: 'count', unit: 'count', value: value.count }
  if (value.count === 0) return [count]
  const times = histogramOf(value)
  return [
    count,
    ...statistics.flatMap((statistic) => {
      const ms = statisticOf(times, statistic)
      return ms === null ? [] : [{ row, statistic, unit, value: ms }]
    }),
  ]
}

/** Names of stores are of their users. */
function cellText(cell: string | number): string {
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
