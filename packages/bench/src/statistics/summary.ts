import { normalQuantile, studentTQuantile } from './distributions.ts'

/** The summary of several runs of one measurement. Every run is kept. */
export interface Summary {
  readonly runs: readonly number[]
  readonly mean: number
  /** Sample standard deviation (n − 1); `null` of one run. */
  readonly deviation: number | null
  /** Half-width of the confidence interval of the mean, by Student's t; `null` of one run. */
  readonly halfWidth: number | null
}

/**
 * Mean, deviation and confidence interval of run means. Never of single operations: those of one run are not
 * independent, and the interval would be far too narrow.
 *
 * @param confidence share of such intervals that hold the true mean. Default 0.95
 * @throws {RangeError} if there is no run
 */
export function summarise(runs: readonly number[], confidence = 0.95): Summary {
  if (runs.length === 0) throw new RangeError('A summary needs one run or more.')
  const mean = meanOf(runs)
  if (runs.length === 1) return { runs, mean, deviation: null, halfWidth: null }
  const squares = sumOf(runs, (run) => (run - mean) ** 2)
  const deviation = Math.sqrt(squares / (runs.length - 1))
  const t = studentTQuantile((1 + confidence) / 2, runs.length - 1)
  return { runs, mean, deviation, halfWidth: (t * deviation) / Math.sqrt(runs.length) }
}

/**
 * Slope of the straight line through points on log-log axes: 0 is flat, 1 is proportional. `NaN` of fewer than
 * two points, or where a coordinate is not above 0.
 */
export function logLogSlope(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.length < 2) return Number.NaN
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const meanX = sumOf(logs, ([x]) => x) / logs.length
  const meanY = sumOf(logs, ([, y]) => y) / logs.length
  const covariance = sumOf(logs, ([x, y]) => (x - meanX) * (y - meanY))
  return covariance / sumOf(logs, ([x]) => (x - meanX) ** 2)
}

/** The sum of a figure of each item. */
export function sumOf<T>(items: readonly T[], figure: (item: T) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0)
}

/** The mean of values. */
export function meanOf(values: readonly number[]): number {
  return sumOf(values, (value) => value) / values.length
}

/** The mean of two values or more, and the square of its standard error: s² / n. */
export function meanAndSquaredError(
  values: readonly number[],
): readonly [mean: number, squaredError: number] {
  const mean = meanOf(values)
  const squares = sumOf(values, (value) => (value - mean) ** 2)
  return [mean, squares / (values.length - 1) / values.length]
}

/** The middle value of one or more; the mean of the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

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

/** A share of things that were counted, and the ends of its 95 % confidence interval. All are between 0 and 1. */
export interface ShareInterval {
  readonly share: number
  readonly low: number
  readonly high: number
}

/**
 * The share of `found` in `of`, by Wilson's interval. None of n is not proof of none: then the upper end is 3 / n (the rule of
 * three), and all of n are treated likewise.
 *
 * @throws {RangeError} unless 0 ≤ found ≤ of, and of > 0
 */
export function shareInterval(found: number, of: number): ShareInterval {
  if (!(found >= 0 && found <= of && of > 0))
    throw new RangeError(`A share needs a count within its total, got ${found} of ${of}.`)
  const share = found / of
  const bound = Math.min(1, 3 / of)
  if (found === 0) return { share, low: 0, high: bound }
  if (found === of) return { share, low: 1 - bound, high: 1 }
  const z = normalQuantile(0.975)
  const weight = 1 + z ** 2 / of
  const middle = (share + z ** 2 / (2 * of)) / weight
  const halfWidth = (z / weight) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))
  return { share, low: Math.max(0, middle - halfWidth), high: Math.min(1, middle + halfWidth) }
}
