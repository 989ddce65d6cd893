import { fastRandom, type Random } from '../../random/random.ts'
import { normalQuantile, normalTail, studentTQuantile } from '../distributions.ts'
import { meanAndSquaredError, meanOf } from '../summary.ts'

const RESAMPLES = 10_000

/**
 * A confidence interval of mean(b) / mean(a) by resampling both samples. The percentiles are moved outward, on a logarithmic scale,
 * as far as Student's t is wider than the normal law: without that, intervals of few runs are far too narrow. The same
 * samples and seed give the same interval.
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
  const ratios = new Float64Array(RESAMPLES)
  for (let sample = 0; sample < RESAMPLES; sample++)
    ratios[sample] = resampledMean(b, random) / resampledMean(a, random)
  ratios.sort()
  const cut = Math.floor(((1 - confidence) / 2) * RESAMPLES)
  const middle = Math.log(meanOf(b) / meanOf(a))
  const widening = wideningOf(a, b, confidence)
  const widened = (ratio: number | undefined): number =>
    Math.exp(middle + (Math.log(ratio as number) - middle) * widening)
  return [widened(ratios[cut]), widened(ratios[RESAMPLES - 1 - cut])]
}

function resampledMean(values: readonly number[], random: Random): number {
  let sum = 0
  for (let draw = 0; draw < values.length; draw++)
    sum += values[Math.floor(random.next() * values.length)] as number
  return sum / values.length
}

/** How much wider an interval by Student's t is than one by the normal law and the errors that resampling finds. */
function wideningOf(a: readonly number[], b: readonly number[], confidence: number): number {
  const errorA = relativeSquaredError(a)
  const errorB = relativeSquaredError(b)
  const error = errorA + errorB
  if (error === 0) return 1
  const freedom = error ** 2 / (errorA ** 2 / (a.length - 1) + errorB ** 2 / (b.length - 1))
  const resampled = errorA * (1 - 1 / a.length) + errorB * (1 - 1 / b.length) // resampling divides by n, not n − 1
  const probability = (1 + confidence) / 2
  return (studentTQuantile(probability, freedom) / normalQuantile(probability)) * Math.sqrt(error / resampled)
}

function relativeSquaredError(values: readonly number[]): number {
  const [mean, squaredError] = meanAndSquaredError(values)
  return squaredError / mean ** 2
}

/** The Mann–Whitney test: whether values of one sample tend to be larger, for any distribution. */
export interface MannWhitneyTest {
  /** Pairs in which the value of the first sample is the larger one; an equal pair counts half. */
  readonly u: number
  /** Two-sided, from the normal approximation with corrections for ties and continuity, as R and SciPy give it. */
  readonly p: number
}

/**
 * The Mann–Whitney U test, also called Wilcoxon rank-sum test. With three runs each, `p` is never below 0.05.
 *
 * @throws {RangeError} if a sample is empty
 */
export function mannWhitneyTest(a: readonly number[], b: readonly number[]): MannWhitneyTest {
  if (a.length === 0 || b.length === 0) throw new RangeError('A rank test needs values of both samples.')
  const { rankSum, ties } = rankSumOf(a, b)
  const pairs = a.length * b.length
  const all = a.length + b.length
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const deviation = Math.sqrt((pairs / 12) * (all + 1 - ties / (all * (all - 1))))
  if (deviation === 0) return { u, p: 1 }
  const distance = Math.max(u, pairs - u) - pairs / 2 - 0.5
  return { u, p: Math.min(1, 2 * normalTail(distance / deviation)) }
}

/** Sum of the ranks of `a` among all values, equal ones sharing theirs; `ties` is Σ(t³ − t) of groups of t equal ones. */
function rankSumOf(a: readonly number[], b: readonly number[]): { rankSum: number; ties: number } {
  const sorted = [...a.map((value) => ({ value, own: 1 })), ...b.map((value) => ({ value, own: 0 }))].sort(
    (x, y) => x.value - y.value,
  )
  let rankSum = 0
  let ties = 0
  for (let first = 0; first < sorted.length; ) {
    let end = first
    let own = 0
    while (end < sorted.length && sorted[end]?.value === sorted[first]?.value) own += sorted[end++]?.own ?? 0
    const size = end - first
    rankSum += own * (first + (size + 1) / 2)
    ties += size ** 3 - size
    first = end
  }
  return { rankSum, ties }
}
