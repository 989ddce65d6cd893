import type { Middle, OverheadRow, SideResult } from '../result.ts'

/** The result of one side. */
export function sideOf({ sides }: OverheadRow, side: SideResult['side']): SideResult {
  return sides.find((one) => one.side === side) as SideResult
}

/** Milliseconds as microseconds, or as they are if there are many. */
export function us(ms: number): string {
  return Math.abs(ms) < 10 ? `${whole(ms)} µs` : `${ms.toFixed(1).replace('-', '−')} ms`
}

/** Short, so that a table fits into a terminal. */
function rangeText(lowMs: number, highMs: number): string {
  return `${whole(lowMs)}…${whole(highMs)} µs`
}

/** Whole microseconds, with a sign that is not a hyphen. */
function whole(ms: number): string {
  return String(Math.round(ms * 1_000) + 0).replace('-', '−')
}

/** An interval; a dash: too few runs. */
export function intervalText({ low, high }: Pick<Middle, 'low' | 'high'>): string {
  return low === null || high === null ? '–' : rangeText(low, high)
}

/** A share with a sign that is not a hyphen. */
export function percentText(value: number): string {
  return `${value.toFixed(1).replace('-', '−')} %`
}

/** The sides of a store, by its rows. */
export function sideNames([row]: readonly OverheadRow[]): readonly SideResult['side'][] {
  return row?.sides.map(({ side }) => side) ?? []
}
