import { meanAndSquaredError } from '../moments.ts'
import { studentTCumulative, studentTQuantile } from '../student-t.ts'

/** A test of the ratio of two means that were measured at two moments. */
export interface MomentsTest {
  /** Spread of invocations that was taken for given, as a share. */
  readonly between: number
  /** In standard errors of the logarithm of the ratio. */
  readonly t: number
  readonly degreesOfFreedom: number
  /** Two-sided probability of a `t` at least this far from 0 if nothing but the moment differed. */
  readonly p: number
  /** Ends of the confidence interval of the ratio of b and a. */
  readonly interval: readonly [low: number, high: number]
}

/** Degrees of freedom of a spread that is given and not estimated. */
const given = 1e6

/**
 * A test of two invocations. Runs of one invocation follow each other and are alike; invocations of the same thing differ by more than
 * their runs say, as other work, memory layout and compiled code differ. No run tells how much, so the spread of invocations is given, and is at least
 * that of the runs.
 *
 * @param between standard deviation of invocations of the same thing, as a share of their mean
 * @param confidence share of such intervals that hold the true ratio. Default 0.95
 */
export function momentsTest(
  a: readonly number[],
  b: readonly number[],
  between: number,
  confidence = 0.95,
): MomentsTest {
  const [one, other] = [spreadOf(a, between), spreadOf(b, between)]
  const parts = [one, other].flatMap(({ own, ofMoment, freedom }) => [
    [own, freedom] as const,
    [ofMoment, ofMoment > between ** 2 ? freedom : given] as const,
  ])
  const variance = parts.reduce((sum, [part]) => sum + part, 0)
  const error = Math.sqrt(variance)
  const weights = parts.reduce((sum, [part, freedom]) => sum + part ** 2 / freedom, 0)
  const degreesOfFreedom = weights === 0 ? given : Math.min(given, variance ** 2 / weights)
  const log = Math.log(other.mean / one.mean)
  const t = log === 0 ? 0 : log / error
  const halfWidth = studentTQuantile((1 + confidence) / 2, degreesOfFreedom) * error
  return {
    between,
    t,
    degreesOfFreedom,
    p: log === 0 ? 1 : 2 * studentTCumulative(-Math.abs(t), degreesOfFreedom),
    interval: [Math.exp(log - halfWidth), Math.exp(log + halfWidth)],
  }
}

/** Squared errors, relative to the mean: of the mean of its runs, and of the invocation. */
function spreadOf(
  runs: readonly number[],
  between: number,
): { readonly mean: number; readonly own: number; readonly ofMoment: number; readonly freedom: number } {
  const [mean, squaredError] = meanAndSquaredError(runs)
  const own = squaredError / mean ** 2
  const ofMoment = Math.max(between ** 2, own * runs.length)
  return { mean, own, ofMoment, freedom: runs.length - 1 }
}
