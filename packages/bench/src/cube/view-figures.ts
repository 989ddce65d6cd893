import type { Figure, FigureSeries } from '../report/figure.ts'
import type { Place } from './cell.ts'
import type { Column } from './view.ts'
import { headOf, type Plotted, wordsOf } from './view-tables.ts'

/** The plot of a grid. */
export function figureOf(plotted: Plotted): Figure {
  const { view, grid, table, overlays } = plotted
  const { place } = grid
  return {
    id: table.name,
    group: view.section,
    title: view.caption?.(place) ?? view.title(place),
    note: said(view.note, place),
    yLabel: said(view.yLabel, place),
    x: view.x,
    y: view.y,
    isWide: view.isWide ?? false,
    foldedAs: view.foldedAs?.(place),
    series: [plotted, ...overlays].flatMap((one) => curves(one, grid.across)),
    tables: [table, ...overlays.map((one) => one.table)],
  }
}

function said(text: string | ((place: Place) => string), place: Place): string {
  return typeof text === 'string' ? text : text(place)
}

/** @param all the values that have a color, in their order */
function curves({ view, grid, table }: Plotted, all: readonly (string | number)[]): readonly FigureSeries[] {
  const {
    across,
    columns,
    style = () => 'line' as const,
    curve = headOf,
    isRamp = false,
    firstColour = 0,
  } = view
  return grid.across.flatMap((value, index) => {
    const drawn = columns.flatMap((column) => {
      const its = column.of === undefined ? undefined : style(column, value, grid.place)
      return its === undefined ? [] : [{ column, style: its }]
    })
    return drawn.map(({ column, style: its }, at): FigureSeries => {
      const place = placeOf(columns, column, index)
      const category = firstColour + (across === undefined ? at : (across.values ?? all).indexOf(value))
      return {
        name: across === undefined ? column.head : curve(wordsOf(across, value), column, drawn.length > 1),
        table,
        column: place,
        halfWidthColumn: column.hasInterval === true ? place + 1 : undefined,
        colour: isRamp ? { ramp: Number(value) } : { category },
        style: its,
      }
    })
  })
}

/** The column of a table in which its values are. */
function placeOf(columns: readonly Column[], column: Column, index: number): number {
  const width = (some: readonly Column[]): number =>
    some.reduce((sum, { of, hasInterval }) => sum + (of === undefined ? 0 : hasInterval === true ? 2 : 1), 0)
  return 1 + index * width(columns) + width(columns.slice(0, columns.indexOf(column)))
}
