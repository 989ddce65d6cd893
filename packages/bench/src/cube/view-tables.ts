import { isDeepStrictEqual } from 'node:util'
import type { Table } from '../report/figure.ts'
import type { ReportTable } from '../report/report-table.ts'
import type { Cell } from './cell.ts'
import { cellText, estimateOf } from './columns.ts'
import type { Row } from './row.ts'
import { type Column, type Dimension, type Grid, type PlotView, pivot, type View } from './view.ts'

/**
 * Names of files of one folder, none of them twice, also where capitals do not count. Names of stores and caches may
 * hold what separates them in a file name, so `a-b` behind `c` and `a` behind `b-c` want the same one.
 */
export class FileNames {
  readonly #taken = new Set<string>()

  /** The name that is wanted, numbered if it is taken. `~` is in no name of a store or cache. */
  claim(wanted: string): string {
    let name = wanted
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++) name = `${wanted}~${number}`
    this.#taken.add(name.toLowerCase())
    return name
  }
}

/** The tables of a view for people. */
export function reportTables(view: View, rows: readonly Row[]): readonly ReportTable[] {
  const { names, columns } = view
  return pivot(view, rows).map((grid) => {
    const shown = columns.filter((column) => !isHidden(column, grid))
    return {
      title: view.title(grid.place),
      head: [...names.map(({ name, head = name }) => head), ...heads(view, grid, shown)],
      names: names.length,
      rows: grid.lines.map(({ at, cells }) => [
        ...names.map((dimension, i) => wordsOf(dimension, at[i] as string | number)),
        ...cells.flatMap((cell) => shown.map((column) => cellText(column, cell))),
      ]),
    }
  })
}

/** A column that is empty throughout, such as one of failures where there were none. */
function isHidden(column: Column, { lines }: Grid): boolean {
  return (
    column.isOptional === true &&
    lines.every(({ cells }) => cells.every((cell) => cellText(column, cell) === ''))
  )
}

function heads(
  { across, head = headOf }: Pick<View, 'across' | 'head'>,
  grid: Grid,
  columns: readonly Column[],
): readonly string[] {
  return grid.across.flatMap((value) =>
    columns.map((column) =>
      across === undefined ? column.head : head(wordsOf(across, value), column, columns.length > 1),
    ),
  )
}

/** A value, and the column where there are several. */
export function headOf(value: string, { head }: Column, hasSeveral: boolean): string {
  return hasSeveral ? `${value}, ${head}` : value
}

/** A value of a dimension in words. */
export function wordsOf({ text }: Dimension, value: string | number): string {
  if (text !== undefined) return text(value)
  return typeof value === 'number' ? value.toLocaleString('en-US') : value.replaceAll('\t', ' ')
}

/** The columns of numbers of one grid of a plot. */
export interface Plotted {
  readonly view: PlotView
  readonly grid: Grid
  readonly table: Table
  readonly overlays: readonly Plotted[]
}

/** The columns of numbers of plots: a file for each grid. */
export function plottedTables(views: readonly PlotView[], rows: readonly Row[]): readonly Plotted[] {
  const files = new FileNames()
  return views.flatMap((view) => gridsOf(view, rows, files))
}

function gridsOf(view: PlotView, rows: readonly Row[], files: FileNames): readonly Plotted[] {
  const { overlays = [], rows: own = rows } = view
  const grids = pivot(view, own).map((grid) => ({ view, grid, table: numbers(view, grid, files) }))
  const over = overlays.flatMap((one) => gridsOf(one, rows, files))
  return grids.map((one) => ({
    ...one,
    overlays: over.filter(({ grid }) => isDeepStrictEqual(grid.place, one.grid.place)),
  }))
}

function numbers(view: PlotView, grid: Grid, files: FileNames): Table {
  const { across, columns: all } = view
  const columns = all.filter(({ of }) => of !== undefined)
  const name = files.claim(fileText(view.id(grid.place)))
  const [x] = view.names as [Dimension]
  return {
    key: name,
    name,
    title: view.title(grid.place),
    columns: [
      x.key ?? x.name,
      ...grid.across.flatMap((value) =>
        columns.flatMap((column) => keysOf(column, across === undefined || value === '' ? '' : `${value}_`)),
      ),
    ],
    rows: grid.lines
      .map(({ at, cells }): readonly (number | null)[] => [
        view.at?.(cells) ?? Number(at[0]),
        ...cells.flatMap((cell) => columns.flatMap((column) => valuesOf(column, cell))),
      ])
      .toSorted((a, b) => Number(a[0]) - Number(b[0])),
  }
}

/** The names of its values in a file. */
function keysOf({ key = 'value', hasInterval = false }: Column, prefix: string): readonly string[] {
  const names = hasInterval ? [key, `half_width_${key}`] : [key]
  return names.map((name) => `${prefix}${name}`.replace(/[^\w.-]+/g, '_'))
}

function valuesOf({ of, hasInterval = false }: Column, cell: Cell): readonly (number | null)[] {
  const { value, halfWidth = null } = estimateOf(of?.(cell) ?? null)
  return hasInterval ? [value, value === null ? null : halfWidth] : [value]
}

/** A name as a part of a file name. */
function fileText(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '')
}
