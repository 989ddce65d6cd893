import type { Cell } from '../cube/cell.ts'
import { cellText, estimateOf, halfWidthText } from '../cube/columns.ts'
import type { Row } from '../cube/row.ts'
import type { Beside, Column, Dimension, PlotView, View } from '../cube/view.ts'
import { figureOf } from '../cube/view-figures.ts'
import { headOf, type Plotted, plottedTables, reportTables, wordsOf } from '../cube/view-tables.ts'
import type { Figure } from '../report/figure.ts'
import { escapeHtml, htmlTable } from '../report/html.ts'
import type { ReportTable } from '../report/report-table.ts'
import type { StudyReport } from './study-report.ts'

/** The tables and plots of a study. */
export interface Views<R> {
  /** All that was measured. */
  readonly rows: (result: R) => readonly Row[]
  /** Tables for people: views, and tables that follow from the rows. */
  readonly summary: (result: R) => readonly (View | ReportTable)[]
  /** Plots, and their files. */
  readonly plots: (result: R) => readonly PlotView[]
  /** Whether the page begins with the tables. @default true */
  readonly isSummarised?: boolean
}

/** The parts of a report that follow from its views. */
export function viewed<R extends object>({
  rows,
  summary,
  plots,
  isSummarised = true,
}: Views<R>): Pick<StudyReport<R>, 'rows' | 'summary' | 'pageTables' | 'tables' | 'figures' | 'besides'> {
  const all = once(rows)
  const tablesFor = once((result: R): readonly ReportTable[] =>
    summary(result)
      .flatMap((one) => ('columns' in one ? reportTables(one, all(result)) : [one]))
      .filter((table) => table.rows.length > 0),
  )
  const plotted = once((result: R): readonly Plotted[] => plottedTables(plots(result), all(result)))
  return {
    rows: all,
    summary: tablesFor,
    ...(isSummarised && { pageTables: tablesFor }),
    tables: (result) =>
      plotted(result).flatMap(({ table, overlays }) => [table, ...overlays.map((one) => one.table)]),
    figures: (result) =>
      plotted(result)
        .map(figureOf)
        .filter(({ series }) => series.length > 0),
    besides: ({ id }: Figure, result) => {
      const own = plotted(result).find(({ table }) => table.name === id)
      if (own === undefined) return { beside: '', below: '' }
      const { beside, foldsBeside } = own.view
      const html = besideHtml(own, beside, all(result))
      return foldsBeside === undefined
        ? { beside: html, below: '' }
        : { beside: '', below: `<details><summary>${escapeHtml(foldsBeside)}</summary>${html}</details>` }
    },
  }
}

/** A page asks for each of its plots. */
function once<R extends object, T>(make: (result: R) => T): (result: R) => T {
  const made = new WeakMap<R, T>()
  return (result) => {
    const found = made.get(result) ?? make(result)
    made.set(result, found)
    return found
  }
}

function besideHtml({ view, grid }: Plotted, beside: PlotView['beside'], rows: readonly Row[]): string {
  if (beside === undefined) return ''
  if ('caption' in beside) return curvesHtml({ view, grid }, beside)
  const tables = beside.flatMap((one) =>
    reportTables({ ...one, within: { ...one.within, ...grid.place } }, rows),
  )
  return tables
    .map(({ title, head, rows: lines }) =>
      htmlTable(
        title,
        head,
        lines.map((line) => line.map(escapeHtml)),
      ),
    )
    .join('')
}

function curvesHtml({ view, grid }: Pick<Plotted, 'view' | 'grid'>, { caption, columns }: Beside): string {
  const [x] = view.names as [Dimension]
  const { across, columns: curves, curve = headOf } = view
  const shown = (value: string | number): string => (across === undefined ? '' : wordsOf(across, value))
  const head = grid.across.flatMap((value) =>
    columns === undefined
      ? curves.map((column) => curve(shown(value), column, curves.length > 1))
      : [shown(value)],
  )
  const rows = grid.lines.map(({ at, cells }) => [
    escapeHtml(wordsOf(x, at[0] as number)),
    ...cells.flatMap((cell) =>
      columns === undefined ? curves.map((column) => curveCell(cell, column)) : [tallCell(cell, columns)],
    ),
  ])
  return htmlTable(caption, [x.head ?? x.name, ...head], rows)
}

/** The value of a curve, and half of its interval. */
function curveCell(cell: Cell, column: Column): string {
  const found = estimateOf(column.of?.(cell) ?? null)
  const half = column.hasInterval === true ? halfWidthText(found, column.format) : '–'
  const sign = /^\d/.test(half) ? '± ' : ''
  return `${escapeHtml(cellText(column, cell))}${half === '–' ? '' : `<small>${sign}${escapeHtml(half)}</small>`}`
}

function tallCell(cell: Cell, [first, ...others]: readonly Column[]): string {
  const small = others
    .map((column) => [column.head, cellText(column, cell)] as const)
    .filter(([, text]) => text !== '' && text !== '–')
    .map(([head, text]) => `<small>${escapeHtml(`${head} ${text}`.trim())}</small>`)
  return first === undefined || cell.isEmpty ? '–' : `${escapeHtml(cellText(first, cell))}${small.join('')}`
}
