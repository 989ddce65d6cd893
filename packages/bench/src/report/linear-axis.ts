import type { Axis } from './axis.ts'

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
