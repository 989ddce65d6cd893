import { chosenModel } from './chosen-model.ts'
import { type CurveShape, curveShape } from './curve-shape.ts'
import { type PeakInterval, peakInterval, peakOf } from './peak-interval.ts'
import { type UslParameters, type UslPoint, uslThroughput } from './usl-law.ts'

/** A least-squares fit of the Universal Scalability Law, and the figures that follow from it. */
export interface UslFit extends UslParameters {
  /** `null` where there are no more points than parameters; α and β also where they lie at their bound, 0. */
  readonly standardErrors: { readonly [K in keyof UslParameters]: number | null }
  /** Standard error of the residuals; `null` if there are no more points than parameters. */
  readonly residualDeviation: number | null
  /** Points minus parameters that are not at their bound. */
  readonly degreesOfFreedom: number
  readonly rSquared: number
  /** Callers at which throughput is highest; `null` if it rises for ever. */
  readonly peakN: number | null
  /** Where the peak may be; `null`: the points do not tell. @default not known */
  readonly peakInterval?: PeakInterval | null | undefined
  /** Throughput there. */
  readonly peakX: number | null
  /** Amdahl's limit γ/α, which no number of callers exceeds; `null` without contention. */
  readonly limit: number | null
  /** Callers 1/α from which half of their capacity is lost to contention; `null` without contention. */
  readonly optimumN: number | null
  /** Throughput there. */
  readonly optimumX: number | null
  /** Whether the peak lies beyond the measured points, so that nothing confirms it. */
  readonly isExtrapolated: boolean
  readonly shape: CurveShape
}

/**
 * Fit the Universal Scalability Law by non-linear least squares with 0 ≤ α ≤ 1 and β ≥ 0. Where β is not above noise the fit is Amdahl's
 * law; where α is not, either, a straight line. Several points may have the same `n`.
 *
 * @throws {RangeError} if there are fewer than three different `n`, one is below 1, or an `x` is not a number from 0
 */
export function uslFit(points: readonly UslPoint[]): UslFit {
  checkPoints(points)
  const { parameters, squares, standardErrors, degreesOfFreedom } = chosenModel(points)
  const at = (n: number | null): number | null => (n === null ? null : uslThroughput(parameters, n))
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length
  const total = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const shape = curveShape(points, (n) => uslThroughput(parameters, n))
  const peakN = finite(peakOf(parameters))
  const optimumN = parameters.alpha > 0 ? Math.max(1, 1 / parameters.alpha) : null
  return {
    ...parameters,
    standardErrors,
    residualDeviation: degreesOfFreedom > 0 ? Math.sqrt(squares / degreesOfFreedom) : null,
    degreesOfFreedom,
    rSquared: total > 0 ? 1 - squares / total : 1,
    peakN,
    peakX: at(peakN),
    // A curve that jumps has no peak of the law.
    peakInterval: shape === 'broken' ? null : peakInterval(points, parameters, degreesOfFreedom),
    limit: parameters.alpha > 0 ? parameters.gamma / parameters.alpha : null,
    optimumN,
    optimumX: at(optimumN),
    isExtrapolated: peakN === null || peakN > Math.max(...points.map(({ n }) => n)),
    shape,
  }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

function checkPoints(points: readonly UslPoint[]): void {
  for (const { n, x } of points) {
    if (!(n >= 1 && Number.isFinite(n))) throw new RangeError(`A point needs one caller or more, got ${n}.`)
    if (!(x >= 0 && Number.isFinite(x)))
      throw new RangeError(`A throughput must be a number from 0, got ${x}.`)
  }
  if (new Set(points.map(({ n }) => n)).size < 3)
    throw new RangeError('A fit needs points at three different numbers of callers or more.')
  if (points.every(({ x }) => x === 0)) throw new RangeError('A fit needs a throughput above 0.')
}
