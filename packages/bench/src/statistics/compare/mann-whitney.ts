import { normalTail } from '../normal.ts'

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
