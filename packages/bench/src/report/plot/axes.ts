import { formatSize } from '../../data/size-list.ts'
import type { Axis, Figure, FigureAxis, FigureSeries } from '../figure.ts'
import { formatCount, formatMs } from '../words.ts'

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

/** Seconds of a run, linear. */
export const secondsAxis: FigureAxis = {
  title: 'time (seconds)',
  scale: 'linear',
  format: (second) => `${Number(second.toPrecision(6))} s`,
}

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

/** A linear axis that holds 0 and all values, with four to eleven steps of 1, 2 or 5 times a power of ten. */
export function linearAxis(values: readonly number[], air = 1.05): Axis {
  const usable = values.filter((value) => Number.isFinite(value))
  const least = Math.min(0, ...usable) * air
  const most = Math.max(0, ...usable) * air || (least < 0 ? 0 : 1)
  const step = stepFor(most - least)
  const [first, last] = [Math.floor(least / step + 1e-9), Math.ceil(most / step - 1e-9) || 0]
  const [low, high] = [first * step, last * step]
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step))
  return { low, high, place: (value) => (value - low) / (high - low), ticks, minorTicks: [] }
}

function stepFor(span: number): number {
  const power = 10 ** Math.floor(Math.log10(span))
  const multiple = [0.1, 0.2, 0.5, 1].find((one) => span / (one * power) <= 10) ?? 1
  return tidy(multiple * power)
}

/** Without what floating point adds: 0.30000000000000004 is 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(12))
}

/** Beyond such powers of ten a number has no neighbors an axis could end at. */
const LEAST = 1e-300

/**
 * A logarithmic axis that holds all values. Ends lie on 1, 2 or 5 times a power of ten, with some air, so that no curve runs
 * along the frame.
 *
 * @param values above 0; others are left out of account
 * @param air share of a value that is kept free beyond the outermost one, such as 1.1
 */
export function logAxis(values: readonly number[], air = 1.15): Axis {
  const usable = values.filter((value) => value > LEAST && value < 1 / LEAST)
  const low = roundDown((usable.length === 0 ? 1 : Math.min(...usable)) / air)
  const high = roundUp((usable.length === 0 ? 1 : Math.max(...usable)) * air)
  const span = Math.log(high / low)
  const decades = Math.log10(high / low)
  const steps = stepsWithin(low, high)
  const isDecade = (value: number): boolean =>
    Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9
  const ticks = decades > 2.5 ? steps.filter(isDecade) : steps
  return {
    low,
    high,
    place: (value) => Math.log(value / low) / span,
    ticks,
    minorTicks: steps.filter((step) => !ticks.includes(step)),
  }
}

/** Every 1, 2 and 5 times a power of ten from `low` to `high`. */
function stepsWithin(low: number, high: number): number[] {
  const steps: number[] = []
  for (let exponent = Math.floor(Math.log10(low)) - 1; exponent <= Math.ceil(Math.log10(high)); exponent++) {
    for (const multiple of [1, 2, 5]) steps.push(Number(`${multiple}e${exponent}`))
  }
  return steps.filter((step) => step >= low * (1 - 1e-9) && step <= high * (1 + 1e-9))
}

function roundDown(value: number): number {
  return stepsWithin(value / 10, value).at(-1) as number
}

function roundUp(value: number): number {
  return stepsWithin(value, value * 10)[0] as number
}
