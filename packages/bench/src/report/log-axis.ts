import type { Axis } from './axis.ts'

/**
 * A logarithmic axis that holds all values. Ends lie on 1, 2 or 5 times a power of ten, with some air, so that no curve runs
 * along the frame.
 *
 * @param values above 0; others are left out of account
 * @param air share of a value that is kept free beyond the outermost one, such as 1.1
 */
export function logAxis(values: readonly number[], air = 1.15): Axis {
  const usable = values.filter((value) => value > 0 && Number.isFinite(value))
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
