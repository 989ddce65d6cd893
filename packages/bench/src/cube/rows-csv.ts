import { latencyOf } from '../driven/target-results.ts'
import { figures, type Row, withoutUnits } from './row.ts'

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

function linesOf(row: Row): readonly Line[] {
  const { value, unit } = row
  if (typeof value === 'number') return [{ row, statistic: row.statistic ?? '', unit, value }]
  const count: Line = { row, statistic: 'count', unit: 'count', value: value.count }
  if (value.count === 0) return [count]
  const { meanMs, ...others } = latencyOf([value])
  const times = figures(row.measure, unit, { mean: meanMs.mean, ...withoutUnits(others) })
  return [
    count,
    ...times.map(({ statistic = '', value: ms }) => ({ row, statistic, unit, value: Number(ms) })),
  ]
}

/** Names of stores are of their users. */
function cellText(cell: string | number): string {
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
