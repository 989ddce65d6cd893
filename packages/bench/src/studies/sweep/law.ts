import { studentTQuantile } from '../../statistics/distributions.ts'
import type { UslFit } from '../../statistics/usl/usl-fit.ts'
import type { Curve, CurvePoint } from './config.ts'

/** A statement of the law of scalability about a curve, as far as its runs bear it out. */
export type Law =
  | Peak
  | { readonly tells: 'limit'; readonly x: number }
  | { readonly tells: 'nothing'; readonly why: string }

/** The highest throughput that a law tells. */
export interface Peak {
  readonly tells: 'peak'
  readonly n: number
  /** At least the most that was measured. */
  readonly x: number
  /** The 95 % interval of `n`. @default not known */
  readonly between?: readonly [low: number, high: number] | undefined
  readonly isExtrapolated: boolean
}

/** A fit that explains less of the differences between runs tells nothing. */
const leastRSquared = 0.7
/** The share by which a single run may be off, where several do not tell. */
const slack = 0.05
/** An interval that is wider says nothing of where the peak is. */
const widest = 4
/** Fast points scatter more than the standard error knows, and a peak beyond them hangs on these: its interval is so many times as wide. */
const farther = 3

/** Whether the law describes the runs well enough to be drawn. */
export function isDescribed({ fit }: Pick<Curve, 'fit'>): boolean {
  return fit !== null && fit.shape !== 'broken' && isWithin(fit) && fit.rSquared >= leastRSquared
}

/** Whether contention and coherence are those of a law: 0 ≤ α, β < 1. Results of earlier versions may have others. */
function isWithin({ alpha, beta }: UslFit): boolean {
  return alpha < 1 && beta < 1
}

/** The statement of the fit of a curve; `null` without one, and where throughput jumps. */
export function lawOf({ points, fit }: Pick<Curve, 'points' | 'fit'>): Law | null {
  if (fit === null || fit.shape === 'broken') return null
  const { beta, peakN, peakX, limit, isExtrapolated } = fit
  const nothing = (why: string): Law => ({ tells: 'nothing', why })
  if (!isWithin(fit)) return nothing('several callers do no more than one')
  if (fit.rSquared < leastRSquared)
    return nothing(`the law of scalability explains too little of the runs (R² ${fit.rSquared.toFixed(2)})`)
  if (isBeyondZero(fit, 'beta', isExtrapolated ? farther : 1) && peakN !== null && peakX !== null) {
    if (peakX < leastHighest(points))
      return nothing('the peak of the law is below the most that was measured')
    const { peakInterval } = fit
    const between = peakInterval?.n
    if (peakInterval === null || (between !== undefined && between[1] > widest * between[0]))
      return nothing('the runs leave it open where it is')
    const x = Math.max(peakX, highest(points).rate.mean)
    return { tells: 'peak', n: peakN, x, between, isExtrapolated }
  }
  if (beta === 0 && limit !== null && isBeyondZero(fit, 'alpha', 1)) return { tells: 'limit', x: limit }
  return nothing('the runs leave it open whether there is one')
}

/** Whether the runs scatter so much that throughput says nothing at a point. */
export function isNoisy({ points }: Pick<Curve, 'points'>): boolean {
  return points.some(({ rate }) => rate.mean > 0 && rate.halfWidth !== null && rate.halfWidth >= rate.mean)
}

/** Whether throughput hardly rises any more at the last points. */
export function isLevel(points: readonly CurvePoint[]): boolean {
  const [before, last] = points.slice(-2)
  if (before === undefined || last === undefined) return false
  return Math.log(last.rate.mean / before.rate.mean) < 0.5 * Math.log(last.value / before.value)
}

/** Whether the 95 % interval of a coefficient, so many times as wide, leaves out 0. */
function isBeyondZero(fit: UslFit, name: 'alpha' | 'beta', times: number): boolean {
  const error = fit.standardErrors[name]
  return error !== null && fit[name] > times * studentTQuantile(0.975, fit.degreesOfFreedom) * error
}

/** The low end of the interval of the highest point. */
function leastHighest(points: readonly CurvePoint[]): number {
  const { mean, halfWidth } = highest(points).rate
  return mean - (halfWidth ?? slack * mean)
}

/** The point with the most operations a second. */
export function highest(points: readonly CurvePoint[]): CurvePoint {
  return points.reduce((most, one) => (one.rate.mean > most.rate.mean ? one : most))
}
