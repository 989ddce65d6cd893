import { fastRandom } from '../../random/random.ts'
import { refined } from './least-squares.ts'
import { type UslParameters, type UslPoint, uslThroughput } from './usl-law.ts'

/** The 95 % interval of a peak. */
export interface PeakInterval {
  /** Callers. */
  readonly n: readonly [low: number, high: number]
  /** Throughput there. */
  readonly x: readonly [low: number, high: number]
}

const resamples = 200

/** Callers at which throughput is highest; `Infinity` if it rises for ever. */
export function peakOf({ alpha, beta }: UslParameters): number {
  if (alpha >= 1) return 1
  return beta > 0 ? Math.max(1, Math.sqrt((1 - alpha) / beta)) : Infinity
}

/**
 * The interval of the peak of a law, by fits to resampled points: each has the residual of another one, as a share of its
 * throughput.
 *
 * @returns `null` if a peak is missing from more of these fits than the interval leaves out, or if there are no more points than parameters
 */
export function peakInterval(
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
