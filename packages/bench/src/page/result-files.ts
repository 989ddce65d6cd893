import { histogramOf } from '@unikv/core/histogram'
import { z } from 'zod'
import { statisticOf } from '../cube/cell.ts'
import { type Row, rowSchema } from '../cube/row.ts'
import type { Table } from '../report/figure.ts'
import { gnuplotScript } from '../report/gnuplot.ts'
import { runResultShape } from '../run/result.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import { reportPage } from './page.ts'
import { argumentsName, longArguments } from './text-report.ts'

/** Checks `rows.json`: the rows of a result, with its environment, configuration and stores once. */
export const rowsJsonSchema: z.ZodType = z.strictObject({
  format: z.literal('unikv.rows'),
  /** A reader of another version refuses the file. */
  formatVersion: z.literal(1),
  study: z.string().min(1),
  ...runResultShape,
  config: z.record(z.string(), z.unknown()),
  rows: z.array(rowSchema),
})

/** `rows.json` of a result: the same form for every study, one row a line. */
export function rowsJson({ name: study, report }: AnyStudy, result: AnyResult): string {
  const own = Object.fromEntries(
    Object.keys(runResultShape).map((name) => [name, result[name as keyof typeof runResultShape]]),
  )
  const head = { format: 'unikv.rows', formatVersion: 1, study, ...own, config: result.config }
  return `${withRows(head, report.rows(result))}\n`
}

/** Readable JSON with one row a line. */
function withRows(head: object, rows: readonly Row[]): string {
  const lines = rows.map((row) => `\n    ${JSON.stringify(row)}`)
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [${lines.join(',')}\n  ]\n}`
}

/** Every file of a result folder, by name. A pure function of the result. */
export function resultFiles(study: AnyStudy, result: AnyResult): Map<string, string> {
  return new Map(Array.from(filesOf(study, result), ([name, content]) => [name, content()]))
}

/** The names of these files: no page is drawn for them. */
export function resultFileNames(study: AnyStudy, result: AnyResult): readonly string[] {
  return Array.from(filesOf(study, result).keys())
}

function filesOf(study: AnyStudy, result: AnyResult): Map<string, () => string> {
  const { report } = study
  const files = new Map([
    ['result.json', () => `${resultJson(result)}\n`],
    ['report.html', () => reportPage(study, result)],
    ['plots.gp', () => gnuplotScript(report.figures(result))],
    ['rows.csv', () => rowsCsv(report.rows(result))],
    ['rows.json', () => rowsJson(study, result)],
  ])
  for (const table of report.tables(result)) {
    files.set(`${table.name}.dat`, () => datText(table))
    files.set(`${table.name}.csv`, () => csvText(table))
  }
  const own = longArguments(result)
  if (own !== undefined) files.set(argumentsName, () => own)
  for (const [name, content] of report.files?.(result) ?? []) files.set(name, () => content)
  return files
}

/** Readable JSON; lists of numbers and pairs stand in one line each, since a result may hold thousands. */
function resultJson({ rows, ...result }: AnyResult & { readonly rows?: readonly Row[] }): string {
  if (rows !== undefined) return withRows(result, rows)
  return JSON.stringify(result, null, 2)
    .replace(/\[\s+(-?[\d.e+-]+),\s+(-?[\d.e+-]+)\s+\]/g, '[$1,$2]')
    .replace(/(\[-?[\d.e+-]+,-?[\d.e+-]+\],)\s+(?=\[-?\d)/g, '$1')
}

/**
 * A table as text columns for gnuplot, spreadsheets and MATLAB: `#` header lines, tabs, decimal points, full
 * precision, `NaN` where nothing was measured.
 */
function datText({ title, columns, rows }: Table): string {
  const body = rows.map((row) => row.map((cell) => (cell === null ? 'NaN' : String(cell))).join('\t'))
  return [`# ${title}`, `# ${columns.join('\t')}`, ...body, ''].join('\n')
}

/** A table as comma-separated values (RFC 4180): a header line, empty fields where nothing was measured. */
function csvText({ columns, rows }: Table): string {
  const body = rows.map((row) => row.map((cell) => (cell === null ? '' : String(cell))).join(','))
  return [columns.join(','), ...body, ''].join('\r\n')
}

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
