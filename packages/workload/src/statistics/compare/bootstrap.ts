import { fastRandom, type Random } from '../../random/random.ts'
import { meanAndSquaredError } from '../moments.ts'
import { normalTail } from '../normal.ts'
import { studentTQuantile } from '../student-t.ts'

const RESAMPLES = 10_000

/**
 * A confidence interval of mean(b) / mean(a) by resampling both samples. The percentiles are moved outward as far as
 * Student's t is wider than the normal law (Hesterberg 2015, "expanded percentile interval"): without that, intervals of few
 * runs are far too narrow. The same samples and seed give the same interval.
 *
 * @param confidence share of such intervals that hold the true ratio. Default 0.95
 * @throws {RangeError} if a sample has fewer than two values
 */
export function bootstrapRatio(
  a: readonly number[],
  b: readonly number[],
  seed: number,
  confidence = 0.95,
): readonly [low: number, high: number] {
  if (a.length < 2 || b.length < 2)
    throw new RangeError('A bootstrap needs two values or more of each sample.')
  const random = fastRandom(seed)
  const ratios = Float64Array.from(
    { length: RESAMPLES },
    () => resampledMean(b, random) / resampledMean(a, random),
  )
  ratios.sort()
  const cut = Math.floor(tailShare(a, b, confidence) * RESAMPLES)
  return [ratios[cut] as number, ratios[RESAMPLES - 1 - cut] as number]
}

function resampledMean(values: readonly number[], random: Random): number {
  let sum = 0
  for (let draw = 0; draw < values.length; draw++)
    sum += values[Math.floor(random.next() * values.length)] as number
  return sum / values.length
}

/** Share of the resamples to cut off at each end, so that the interval is as wide as one by Student's t. */
function tailShare(a: readonly number[], b: readonly number[], confidence: number): number {
  const errorA = relativeSquaredError(a)
  const errorB = relativeSquaredError(b)
  const error = errorA + errorB
  if (error === 0) return 0
  const freedom = error ** 2 / (errorA ** 2 / (a.length - 1) + errorB ** 2 / (b.length - 1))
  const resampled = errorA * (1 - 1 / a.length) + errorB * (1 - 1 / b.length) // resampling divides by n, not n − 1
  return normalTail(studentTQuantile((1 + confidence) / 2, freedom) * Math.sqrt(error / resampled))
}

function relativeSquaredError(values: readonly number[]): number {
  const [mean, squaredError] = meanAndSquaredError(values)
  return squaredError / mean ** 2
}
