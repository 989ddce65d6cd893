import type { Gaussian } from './gaussian.ts'

/** Thresholds that are tried between the least and the greatest value of a feature. */
const candidates = 10
/** Each side has more than this share of the weight. */
const leastShare = 0.01

/** A question that divides: is the value of a feature at most the threshold? */
export interface Split {
  readonly feature: number
  readonly threshold: number
  /** Information gain, in bits. */
  readonly merit: number
  /** Weights of the classes on either side. */
  readonly sides: readonly [atMost: Float64Array, above: Float64Array]
}

/** The best question about one feature, from how the values of each class are distributed. `undefined`: none divides. */
export function bestSplit(
  feature: number,
  classes: readonly (Gaussian | undefined)[],
  weights: Float64Array,
): Split | undefined {
  const least = Math.min(...classes.map((one) => one?.least ?? Number.POSITIVE_INFINITY))
  const most = Math.max(...classes.map((one) => one?.most ?? Number.NEGATIVE_INFINITY))
  if (!(least < most)) return undefined
  const before = entropy(weights)
  let best: Split | undefined
  for (let i = 1; i <= candidates; i += 1) {
    const threshold = least + ((most - least) * i) / (candidates + 1)
    const sides = sidesOf(classes, threshold, weights.length)
    const merit = before - entropyAfter(sides)
    if (merit > (best?.merit ?? Number.NEGATIVE_INFINITY)) best = { feature, threshold, merit, sides }
  }
  return best
}

function sidesOf(
  classes: readonly (Gaussian | undefined)[],
  threshold: number,
  count: number,
): readonly [Float64Array, Float64Array] {
  const [atMost, above] = [new Float64Array(count), new Float64Array(count)]
  for (const [label, one] of classes.entries()) {
    if (one === undefined) continue
    const share = one.upTo(threshold)
    atMost[label] = share
    above[label] = one.weight - share
  }
  return [atMost, above]
}

/** `Infinity` where a side has next to nothing. */
function entropyAfter([one, other]: readonly [Float64Array, Float64Array]): number {
  const [weightOfOne, weightOfOther] = [sum(one), sum(other)]
  const all = weightOfOne + weightOfOther
  if (Math.min(weightOfOne, weightOfOther) <= leastShare * all) return Number.POSITIVE_INFINITY
  return (weightOfOne * entropy(one) + weightOfOther * entropy(other)) / all
}

/** Entropy of the weights of classes, in bits. */
function entropy(weights: Float64Array): number {
  const all = sum(weights)
  let bits = 0
  for (const weight of weights) if (weight > 0) bits -= (weight / all) * Math.log2(weight / all)
  return bits
}

export function sum(weights: Float64Array): number {
  let all = 0
  for (const weight of weights) all += weight
  return all
}

/** Hoeffding's bound: by so much the mean of `weight` values within a range may differ from the true one, but for a share of `delta`. */
export function hoeffdingBound(range: number, delta: number, weight: number): number {
  return Math.sqrt((range * range * Math.log(1 / delta)) / (2 * weight))
}
