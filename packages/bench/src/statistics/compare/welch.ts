import { meanAndSquaredError } from '../moments.ts'
import { studentTCumulative, studentTQuantile } from '../student-t.ts'

/** Welch's t test of the difference of two means, whose variances may differ. */
export interface WelchTest {
  /** Mean of the first sample minus mean of the second. */
  readonly difference: number
  /** The difference in standard errors; infinite if neither sample varies and they differ. */
  readonly t: number
  readonly degreesOfFreedom: number
  /** Two-sided probability of a `t` at least this far from 0 if the means were equal. */
  readonly p: number
  /** Ends of the confidence interval of `difference`. */
  readonly interval: readonly [low: number, high: number]
}

/**
 * Welch's t test on run means. Never on single operations: those of one run are not independent.
 *
 * @param confidence share of such intervals that hold the true difference. Default 0.95
 * @throws {RangeError} if a sample has fewer than two values
 */
export function welchTest(a: readonly number[], b: readonly number[], confidence = 0.95): WelchTest {
  if (a.length < 2 || b.length < 2) throw new RangeError('A t test needs two values or more of each sample.')
  const [meanA, errorA] = meanAndSquaredError(a)
  const [meanB, errorB] = meanAndSquaredError(b)
  const difference = meanA - meanB
  const error = Math.sqrt(errorA + errorB)
  if (error === 0) return withoutVariance(difference, a.length + b.length - 2)
  const degreesOfFreedom =
    (errorA + errorB) ** 2 / (errorA ** 2 / (a.length - 1) + errorB ** 2 / (b.length - 1))
  const t = difference / error
  const halfWidth = studentTQuantile((1 + confidence) / 2, degreesOfFreedom) * error
  const p = 2 * studentTCumulative(-Math.abs(t), degreesOfFreedom)
  return { difference, t, degreesOfFreedom, p, interval: [difference - halfWidth, difference + halfWidth] }
}

function withoutVariance(difference: number, degreesOfFreedom: number): WelchTest {
  const t = difference === 0 ? 0 : difference * Infinity
  return { difference, t, degreesOfFreedom, p: difference === 0 ? 1 : 0, interval: [difference, difference] }
}
