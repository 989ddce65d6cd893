import type { FigureAxis, FigureSeries } from '../report/figure.ts'
import { Cell, type Estimate, type Place } from './cell.ts'
import type { Row } from './row.ts'

/** A dimension of rows, as a view shows it. */
export interface Dimension {
  /** `store`, or the name of a dimension of rows; `store+phase`: both in one text. */
  readonly name: string
  /** Above its column. @default the name */
  readonly head?: string | undefined
  /** Its name in files, with its unit: `size_bytes`. @default the name */
  readonly key?: string | undefined
  /** Its values, in their order. @default those of the rows: numbers rise, words are as they come */
  readonly values?: readonly (string | number)[] | undefined
  /** A value in words. @default as it is */
  readonly text?: ((value: string | number) => string) | undefined
}

/** A column of figures. */
export interface Column {
  /** For people: `p99`. */
  readonly head: string
  /** The figure; without it the column is only of words. */
  readonly of?: ((cell: Cell) => Estimate | number | null) | undefined
  /** Its name in files, with its unit: `p99_ms`. The half of its interval has `half_width` in it. */
  readonly key?: string | undefined
  /** Whether files and plots have half of its 95 % interval, too. @default false */
  readonly hasInterval?: boolean | undefined
  /** Left out of a table in which it is empty throughout. @default false */
  readonly isOptional?: boolean | undefined
  /** A value in words. @default three digits */
  readonly format?: ((value: number) => string) | undefined
  /** The cell in words. @default its figure */
  readonly text?: ((cell: Cell) => string) | undefined
}

/** Tables of a study: the dimensions that are rows, the one that is columns, and the figures of each place. */
export interface View {
  /** A table for each combination of their values. @default one table */
  readonly each?: readonly Dimension[] | undefined
  /** The places of this view alone. @default all */
  readonly within?: Place | undefined
  readonly names: readonly Dimension[]
  /** Lines are of places with rows of this measure. @default all */
  readonly of?: string | undefined
  /** Columns for each of its values. @default one of each */
  readonly across?: Dimension | undefined
  readonly columns: readonly Column[]
  /** The subject of the table. */
  readonly title: (place: Place) => string
  /** The head of a column. @default the value of `across`, and the head of the column where there are several */
  readonly head?: ((value: string, column: Column, hasSeveral: boolean) => string) | undefined
}

/** A view of numbers: a file of columns, a plot, and a table beside the plot. */
export interface PlotView extends View {
  /** The name of its files. */
  readonly id: (place: Place) => string
  /** The section of the page. */
  readonly section: string
  /** Above the plot. @default the title */
  readonly caption?: ((place: Place) => string) | undefined
  readonly note: string | ((place: Place) => string)
  readonly x: FigureAxis
  /** Where a line stands on the horizontal axis. @default its first name */
  readonly at?: ((cells: readonly Cell[]) => number) | undefined
  /** The quantity on the vertical axis. */
  readonly yLabel: string | ((place: Place) => string)
  /** @default milliseconds, logarithmic */
  readonly y?: FigureAxis | undefined
  /** How a column is drawn, for a value of `across`; `undefined`: it is in the file alone. @default lines */
  readonly style?:
    | ((column: Column, value: string | number, place: Place) => FigureSeries['style'] | undefined)
    | undefined
  /** The name of a curve. @default the value of `across`, and the head of the column where several are drawn */
  readonly curve?: ((value: string, column: Column, hasSeveral: boolean) => string) | undefined
  /** Shade curves by the value of `across`, from 0 to 1. @default a color for each value */
  readonly isRamp?: boolean | undefined
  readonly isWide?: boolean | undefined
  readonly foldedAs?: ((place: Place) => string | undefined) | undefined
  /** Drawn into the same plot, each of a file of its own. @default none */
  readonly overlays?: readonly PlotView[] | undefined
  /** The number of its first color. @default 0 */
  readonly firstColour?: number | undefined
  /** Rows that follow from others, such as a model. @default those of the result */
  readonly rows?: readonly Row[] | undefined
  /** A table beside the plot, or views of the same place. @default none */
  readonly beside?: Beside | readonly View[] | undefined
  /** The tables beside it are folded, under these words. @default they are not */
  readonly foldsBeside?: string | undefined
}

/** A table beside a plot: the places of its horizontal axis by the values of `across`. */
export interface Beside {
  readonly caption: string
  /** All in one cell, the first one large. @default a column of the table for each curve */
  readonly columns?: readonly Column[] | undefined
}

/** One table of a view: its rows, and the cells of each. */
export interface Grid {
  /** The values of `each`. */
  readonly place: Place
  /** Those of `across`; one that says nothing without it. */
  readonly across: readonly (string | number)[]
  readonly lines: readonly Line[]
}

/** A row of a table. */
export interface Line {
  /** The values of `names`. */
  readonly at: readonly (string | number)[]
  /** One for each value of `across`. */
  readonly cells: readonly Cell[]
}

/** The tables of a view, of rows. Places that nothing was measured at have no line. */
export function pivot(view: View, rows: readonly Row[]): readonly Grid[] {
  const { each = [], within = {}, names, across, of } = view
  const needed = [...each, ...names, ...(across === undefined ? [] : [across])].map(({ name }) => name)
  const all = new Cell(rows, {}).at(within).having(needed)
  return groups(all, each).flatMap(({ cell: group }) => {
    const columns = across === undefined ? [''] : valuesIn(group, across)
    const found = groups(group, names).filter(({ cell }) => of === undefined || cell.rows(of).length > 0)
    const lines = found.map(({ at, cell }) => ({
      at,
      cells: across === undefined ? [cell] : columns.map((value) => cell.at({ [across.name]: value })),
    }))
    return lines.length === 0 || columns.length === 0 ? [] : [{ place: group.place, across: columns, lines }]
  })
}

interface Group {
  readonly at: readonly (string | number)[]
  readonly cell: Cell
}

/** A cell for each combination of values that has rows, in the order of the values. */
function groups(cell: Cell, dimensions: readonly Dimension[]): readonly Group[] {
  let found: readonly Group[] = [{ at: [], cell }]
  for (const dimension of dimensions)
    found = found.flatMap(({ at, cell: outer }) =>
      outer
        .split(dimension.name, valuesIn(outer, dimension))
        .map(([value, inner]) => ({ at: [...at, value], cell: inner })),
    )
  return found
}

function valuesIn(cell: Cell, { name, values }: Dimension): readonly (string | number)[] {
  const present = cell.valuesOf(name)
  if (values !== undefined) return values.filter((value) => present.includes(value))
  return present.every((value) => typeof value === 'number') ? present.toSorted((a, b) => a - b) : present
}
