import type { Cell } from '../../../cube/cell.ts'
import type { Middle } from '../trend.ts'

/** The cost of a side beside the native client, in milliseconds, and as a share of the native time in per cent. */
export interface Added extends Middle {
  readonly percent: number
}

/** The cost of the side of a cell; `null`: it is the native client. */
export function addedIn(cell: Cell): Added | null {
  const [median = null, low = null, high = null] = ['median', 'low', 'high'].map((one) =>
    cell.figure('added', one),
  )
  return median === null
    ? null
    : { median, low, high, percent: 100 * (cell.figure('added share', 'median') ?? 0) }
}

/** `100 µs (10.0 %)`. */
export function addedText({ median, percent }: Added): string {
  return `${us(median)} (${percentText(percent)})`
}

/** Milliseconds as microseconds, or as they are if there are many. */
export function us(ms: number): string {
  return Math.abs(ms) < 10 ? `${whole(ms)} µs` : `${ms.toFixed(1).replace('-', '−')} ms`
}

/** Whole microseconds, with a sign that is not a hyphen. */
function whole(ms: number): string {
  return String(Math.round(ms * 1_000) + 0).replace('-', '−')
}

/** An interval, short, so that a table fits into a terminal; a dash: too few runs. */
export function intervalText({ low, high }: Pick<Middle, 'low' | 'high'>): string {
  return low === null || high === null ? '–' : `${whole(low)}…${whole(high)} µs`
}

/** A share with a sign that is not a hyphen. */
export function percentText(value: number): string {
  return `${value.toFixed(1).replace('-', '−')} %`
}

/** Whether unikv is the only side beside the native client. */
export function isOfPairs(rows: Cell): boolean {
  return rows.valuesOf('side').length === 2
}
