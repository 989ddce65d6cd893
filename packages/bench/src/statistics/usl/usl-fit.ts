import { fastRandom } from '../../random/random.ts'
import { studentTCumulative } from '../distributions.ts'
import { sumOf } from '../summary.ts'
import { type Group, groupsByN, isBroken, Scatter } from './curve-shape.ts'
import { type Freedom, type LeastSquares, leastSquares, refined, type ScaledPoint } from './least-squares.ts'
import { type UslParameters, type UslPoint, uslThroughput } from './usl-law.ts'

/**
 * The form of a curve of throughput over callers. `linear`: the last point still has 80 % of what the first callers each do;
 * `saturating`: it flattens; `falling`: it ends at least 5 % below its highest point; `broken`: throughput jumps between two
 * neighbours in a way that no smooth law explains, or ends altogether. Where points have several runs, falls and jumps must be larger
 * than chance makes them.
 */
type CurveShape = 'linear' | 'saturating' | 'falling' | 'broken'

const LINEAR_SHARE = 0.8
const FALLEN_SHARE = 0.95

/** The shape of measured points, by the law that fits them. */
function curveShape(points: readonly UslPoint[], law: (n: number) => number): CurveShape {
  const groups = groupsByN(points)
  const scatter = new Scatter(groups)
  if (isBroken(groups, law, scatter)) return 'broken'
  const [first, last] = [groups[0] as Group, groups.at(-1) as Group]
  if (law(last.n) / last.n >= LINEAR_SHARE * (law(first.n) / first.n)) return 'linear'
  return hasFallen(groups, scatter) && hasFallenAtEnd(groups.map(({ n }) => law(n)))
    ? 'falling'
    : 'saturating'
}

function hasFallen(groups: readonly Group[], scatter: Scatter): boolean {
  const last = groups.at(-1) as Group
  const best = groups.reduce((most, one) => (one.x > most.x ? one : most))
  const chance = scatter.mostOf([
    [1, best],
    [-1, last],
  ])
  return hasFallenAtEnd(groups.map(({ x }) => x)) && Math.log(best.x / last.x) > chance
}

function hasFallenAtEnd(xs: readonly number[]): boolean {
  return (xs.at(-1) as number) <= FALLEN_SHARE * Math.max(...xs)
}

/** A parameter stays if chance explains its gain so seldom. */
const level = 0.05

/**
 * The fit with no more parameters than the points bear out, by F tests: a straight line, Amdahl's law, or the whole law. A parameter must
 * stand both where all residuals count alike and where they count by their share of the throughput: runs scatter more where it is
 * high.
 */
function chosenModel(points: readonly UslPoint[]): LeastSquares {
  const [own, shares] = [fitsOf(points), fitsOf(scaled(points))]
  if (gains(own, 3) && gains(shares, 3)) return own.fit(3)
  return gains(own, 2) && gains(shares, 2) ? own.fit(2) : own.fit(1)
}

/** The fits of points, each made once, when it is asked for. */
function fitsOf(points: readonly ScaledPoint[]): Fits {
  const made = new Map<Freedom, LeastSquares>()
  const fit = (freedom: Freedom): LeastSquares => {
    const found = made.get(freedom) ?? leastSquares(points, freedom)
    made.set(freedom, found)
    return found
  }
  return { fit, count: points.length }
}

interface Fits {
  readonly fit: (freedom: Freedom) => LeastSquares
  /** Points. */
  readonly count: number
}

/** Whether the last of so many parameters does more than chance. Three points bear out three parameters: nothing speaks against them. */
function gains({ fit, count }: Fits, freedom: Exclude<Freedom, 1>): boolean {
  const left = count - freedom
  if (left < 1) return true
  const { squares, parameters } = fit(freedom)
  if ((freedom === 3 ? parameters.beta : parameters.alpha) === 0) return false
  const without = fit(freedom === 3 ? 2 : 1).squares
  const f = (without - squares) / (squares / left)
  return !(f >= 0) ? false : 2 * studentTCumulative(-Math.sqrt(f), left) < level
}

function scaled(points: readonly UslPoint[]): readonly ScaledPoint[] {
  const means = new Map(groupsByN(points).map(({ n, x }) => [n, x]))
  const least = Math.max(...means.values()) * 1e-3
  return points.map(({ n, x }) => ({ n, x, scale: Math.max(least, means.get(n) ?? 0) }))
}

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
 * Fit the Universal Scalability Law by non-linear least squares with 0 ≤ α, β ≤ 1; a fit at the upper bound describes nothing. Where β is not above noise the fit is Amdahl's
 * law; where α is not, either, a straight line. Several points may have the same `n`.
 *
 * @throws {RangeError} if there are fewer than three different `n`, one is below 1, or an `x` is not a number from 0
 */
export function uslFit(points: readonly UslPoint[]): UslFit {
  checkPoints(points)
  const { parameters, squares, standardErrors, degreesOfFreedom } = chosenModel(points)
  const at = (n: number | null): number | null => (n === null ? null : uslThroughput(parameters, n))
  const meanX = sumOf(points, ({ x }) => x) / points.length
  const total = sumOf(points, ({ x }) => (x - meanX) ** 2)
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

/** The 95 % interval of a peak. */
export interface PeakInterval {
  /** Callers. */
  readonly n: readonly [low: number, high: number]
  /** Throughput there. */
  readonly x: readonly [low: number, high: number]
}

const resamples = 200

/** Callers at which throughput is highest; `Infinity` if it rises for ever. */
function peakOf({ alpha, beta }: UslParameters): number {
  if (alpha >= 1) return 1
  return beta > 0 ? Math.max(1, Math.sqrt((1 - alpha) / beta)) : Infinity
}

/**
 * The interval of the peak of a law, by fits to resampled points: each has the residual of another one, as a share of its
 * throughput.
 *
 * @returns `null` if a peak is missing from more of these fits than the interval leaves out, or if there are no more points than parameters
 */
function peakInterval(
  points: readonly UslPoint[],
  fitted: UslParameters,
  freedom: number,
): PeakInterval | null {
  if (freedom < 1 || peakOf(fitted) === Infinity) return null
  const random = fastRandom(1)
  const widening = Math.sqrt(points.length / freedom)
  const residuals = points.map(({ n, x }) => (x / uslThroughput(fitted, n) - 1) * widening)
  const drawn = (): number => residuals[Math.floor(random.next() * residuals.length)] as number
  const fits = Array.from({ length: resamples }, () => {
    const again = points.map(({ n }) => ({ n, x: uslThroughput(fitted, n) * Math.max(0, 1 + drawn()) }))
    return refined(again, fitted)
  })
  const peaks = fits.map(peakOf).sort((a, b) => a - b)
  if (inner(peaks)[1] === Infinity) return null
  const heights = fits.map((fit) => uslThroughput(fit, Math.min(peakOf(fit), 1e9))).sort((a, b) => a - b)
  return { n: inner(peaks), x: inner(heights) }
}

/** The middle 95 % of sorted values. */
function inner(sorted: readonly number[]): readonly [low: number, high: number] {
  const out = Math.floor(sorted.length * 0.025)
  return [sorted[out] as number, sorted[sorted.length - 1 - out] as number]
}
