import { studentTCumulative, studentTQuantile } from '../distributions.ts'
import { meanAndSquaredError, sumOf } from '../summary.ts'

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
  return { difference, ...tested(difference, error, degreesOfFreedom, confidence) }
}

/** Student's t test of an estimate with this standard error: whether it is 0, and its interval. */
function tested(
  estimate: number,
  error: number,
  degreesOfFreedom: number,
  confidence: number,
): Omit<WelchTest, 'difference'> {
  const t = estimate === 0 ? 0 : estimate / error
  const p = estimate === 0 ? 1 : 2 * studentTCumulative(-Math.abs(t), degreesOfFreedom)
  const halfWidth = studentTQuantile((1 + confidence) / 2, degreesOfFreedom) * error
  return { t, degreesOfFreedom, p, interval: [estimate - halfWidth, estimate + halfWidth] }
}

/** Ends of an interval of a ratio, from those of its logarithm. */
function ratios([low, high]: readonly [number, number]): readonly [low: number, high: number] {
  return [Math.exp(low), Math.exp(high)]
}

function withoutVariance(difference: number, degreesOfFreedom: number): WelchTest {
  const t = difference === 0 ? 0 : difference * Infinity
  return { difference, t, degreesOfFreedom, p: difference === 0 ? 1 : 0, interval: [difference, difference] }
}

/** Student's t test of the ratios of pairs of runs. */
export interface PairedTest {
  /** Geometric mean of b / a. */
  readonly ratio: number
  /** In standard errors of the mean logarithm; infinite if all ratios are the same and not 1. */
  readonly t: number
  readonly degreesOfFreedom: number
  /** Two-sided probability of a `t` at least this far from 0 if the ratio were 1. */
  readonly p: number
  /** Ends of the confidence interval of `ratio`. */
  readonly interval: readonly [low: number, high: number]
}

/**
 * A test for runs that were measured in turn: run i of both samples saw the same machine, so that what slowed both of
 * them leaves their ratio alone.
 *
 * @param confidence share of such intervals that hold the true ratio. Default 0.95
 * @throws {RangeError} if the samples have different lengths, or fewer than two values
 */
export function pairedTest(a: readonly number[], b: readonly number[], confidence = 0.95): PairedTest {
  if (a.length !== b.length) throw new RangeError('Pairs of runs need samples of the same length.')
  if (a.length < 2) throw new RangeError('A t test needs two pairs or more.')
  const [mean, squaredError] = meanAndSquaredError(
    b.map((run, index) => Math.log(run / (a[index] as number))),
  )
  const found = tested(mean, Math.sqrt(squaredError), a.length - 1, confidence)
  return { ratio: Math.exp(mean), ...found, interval: ratios(found.interval) }
}

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
  const variance = sumOf(parts, ([part]) => part)
  const weights = sumOf(parts, ([part, freedom]) => part ** 2 / freedom)
  const degreesOfFreedom = weights === 0 ? given : Math.min(given, variance ** 2 / weights)
  const log = Math.log(other.mean / one.mean)
  const found = tested(log, Math.sqrt(variance), degreesOfFreedom, confidence)
  return { between, ...found, interval: ratios(found.interval) }
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
