import { Cell, type Place } from './cell.ts'
import type { Row } from './row.ts'
import type { Dimension, View } from './view.ts'

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
