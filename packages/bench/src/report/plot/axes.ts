import { formatSize } from '../../data/size-list.ts'
import type { Axis } from '../axis.ts'
import type { Figure, FigureAxis, FigureSeries } from '../figure.ts'
import { linearAxis } from '../linear-axis.ts'
import { logAxis } from '../log-axis.ts'
import { formatCount, formatMs } from '../words/units.ts'

/** A value of a curve, with the half-width of its interval if there is one. */
export type Value = readonly [x: number, y: number, halfWidth: number | null]

/** An axis of a drawing. */
export type PlotAxis = Axis & FigureAxis

/** Both axes of a drawing. */
export interface Axes {
  readonly x: PlotAxis
  readonly y: PlotAxis
}

/** The horizontal axis of a figure that names none. */
export const sizeAxis: FigureAxis = { title: 'object size (bytes)', scale: 'log', format: formatSize }

/** Operations a second, from zero. */
export const rateAxis: FigureAxis = {
  title: 'operations a second',
  scale: 'linear',
  format: (value) => (value === 0 ? '0' : formatCount(value)),
}

/** Times, by powers of ten. */
function timeAxis(title: string): FigureAxis {
  return { title, scale: 'log', format: formatMs }
}

/** Axes that hold every value of a figure. */
export function axesOf({ series, moments = [], x = sizeAxis, y, yLabel }: Figure): Axes {
  const vertical = y ?? timeAxis(yLabel)
  const values = series.flatMap((one) => valuesOf(one, x, vertical))
  return {
    x: {
      ...x,
      ...placesOf(x, [...values.map(([value]) => value), ...moments.map(({ at }) => at)], {
        log: 1.12,
        linear: 1,
      }),
    },
    y: {
      ...vertical,
      ...placesOf(
        vertical,
        values.map(([, value]) => value),
        { log: 1.15, linear: 1.05 },
      ),
    },
  }
}

/** The values of a curve that its axes can show. */
export function valuesOf(
  { table, column, halfWidthColumn }: FigureSeries,
  x: FigureAxis,
  y: FigureAxis,
): readonly Value[] {
  return table.rows.flatMap((row): Value[] => {
    const [at, value] = [row[0], row[column]]
    const halfWidth = halfWidthColumn === undefined ? null : (row[halfWidthColumn] ?? null)
    if (!isShown(at, x) || !isShown(value, y)) return []
    return [[at, value, halfWidth]]
  })
}

function isShown(value: number | null | undefined, { scale }: FigureAxis): value is number {
  return typeof value === 'number' && (scale === 'linear' || value > 0)
}

function placesOf(
  { scale }: FigureAxis,
  values: readonly number[],
  air: { readonly log: number; readonly linear: number },
): Axis {
  return scale === 'log' ? logAxis(values, air.log) : linearAxis(values, air.linear)
}
