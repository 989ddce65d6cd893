import { summarise } from './summary.ts'

/** A ratio of two times: geometric mean of the runs, and ends of its 95 % confidence interval, `null` of one run. */
export interface Ratio {
  readonly mean: number
  readonly low: number | null
  readonly high: number | null
}

/** Ratio of several runs, by logarithms, so that it does not matter which time is divided by which. */
export function ratioOf(runs: readonly number[]): Ratio {
  const { mean: middle, halfWidth } = summarise(runs.map(Math.log))
  if (halfWidth === null) return { mean: Math.exp(middle), low: null, high: null }
  return { mean: Math.exp(middle), low: Math.exp(middle - halfWidth), high: Math.exp(middle + halfWidth) }
}
