import type { Axis } from './axis.ts'

/** A linear axis from 0 that holds all values, with four to ten steps of 1, 2 or 5 times a power of ten. */
export function linearAxis(values: readonly number[], air = 1.05): Axis {
  const usable = values.filter((value) => Number.isFinite(value))
  const most = Math.max(0, ...usable) * air || 1
  const step = stepFor(most)
  const high = Math.ceil(most / step - 1e-9) * step
  const ticks = Array.from({ length: Math.round(high / step) + 1 }, (_, index) => tidy(index * step))
  return { low: 0, high, place: (value) => value / high, ticks, minorTicks: [] }
}

function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  const multiple = [0.1, 0.2, 0.5, 1].find((one) => most / (one * power) <= 10) ?? 1
  return tidy(multiple * power)
}

/** Without what floating point adds: 0.30000000000000004 is 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(12))
}
