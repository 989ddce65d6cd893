import { meanAndSquaredError } from '../moments.ts'
import { studentTCumulative, studentTQuantile } from '../student-t.ts'

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
  const error = Math.sqrt(squaredError)
  const degreesOfFreedom = a.length - 1
  const t = mean === 0 ? 0 : mean / error
  const p = mean === 0 ? 1 : 2 * studentTCumulative(-Math.abs(t), degreesOfFreedom)
  const halfWidth = studentTQuantile((1 + confidence) / 2, degreesOfFreedom) * error
  return {
    ratio: Math.exp(mean),
    t,
    degreesOfFreedom,
    p,
    interval: [Math.exp(mean - halfWidth), Math.exp(mean + halfWidth)],
  }
}
