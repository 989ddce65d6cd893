import type { MannWhitneyTest } from './resampling.ts'
import type { MomentsTest, PairedTest, WelchTest } from './t-tests.ts'

/** The comparison of two samples of run means. */
export interface Comparison {
  /**
   * The result for `b`, compared with `a`. `no-difference`: the change is below `minEffect`, or one of
   * `minEffect` or more is ruled out. `unclear`: the runs vary too much to tell.
   */
  readonly verdict: 'faster' | 'slower' | 'no-difference' | 'unclear' | 'not-enough-runs'
  /** The verdict in one plain sentence, with its figures. */
  readonly sentence: string
  /** Runs of each sample. */
  readonly runs: readonly [a: number, b: number]
  readonly means: readonly [a: number, b: number]
  /** Mean of `b` divided by mean of `a`; of runs in turn, the geometric mean of their ratios. */
  readonly ratio: number
  /** Share of intervals such as `ratioInterval` that hold the true ratio. */
  readonly confidence: number
  /** Interval of `ratio`, by the bootstrap, by `paired` or by `moments`; `null` without enough runs. */
  readonly ratioInterval: readonly [low: number, high: number] | null
  /** The test of a − b, which decides unless `paired` or `moments` does; `null` without enough runs. */
  readonly welch: WelchTest | null
  /** The test of runs that were measured in turn, which decides then; `null` for others. */
  readonly paired: PairedTest | null
  /** The test of two invocations at two moments, which decides then; `null` for others. */
  readonly moments: MomentsTest | null
  /** A check by ranks, for the reader; `null` without enough runs. */
  readonly mannWhitney: MannWhitneyTest | null
  readonly minEffect: number
}

/** The verdict of a comparison in one plain sentence. */
export function comparisonSentence(
  {
    verdict,
    runs,
    ratio,
    ratioInterval,
    confidence,
    welch,
    paired,
    moments,
    minEffect,
  }: Omit<Comparison, 'sentence'>,
  [a, b]: readonly [string, string],
  figure: string,
  words: readonly [better: string, worse: string] = ['faster', 'slower'],
): string {
  if (verdict === 'not-enough-runs' || welch === null || ratioInterval === null)
    return `There are too few runs to compare ${a} (${runs[0]}) with ${b} (${runs[1]}): each needs 3.`
  const [low, high] = ratioInterval
  const interval = `${Number((confidence * 100).toPrecision(4))} % interval`
  if (verdict === 'faster' || verdict === 'slower')
    return `${b} is ${words[verdict === 'faster' ? 0 : 1]} than ${a}: its ${figure} is ${change(ratio)} (${interval}: ${change(low)} to ${change(high)}).`
  if (verdict === 'unclear')
    return `${a} and ${b} cannot be told apart: the ${figure} of ${b} is between ${change(low)} and ${change(high)} (${interval}), as ${moments === null ? 'their runs' : 'moments of a machine'} vary too much.`
  const least = `${shown(minEffect * 100)} %`
  const told = paired ?? moments
  const isFound = told === null ? excludes(welch.interval, 0) : excludes(told.interval, 1)
  const reason = isFound ? `the difference is below the ${least} that count` : `${least} or more is ruled out`
  return `${a} and ${b} show no difference: the ${figure} of ${b} is ${change(ratio)}, and ${reason}.`
}

/** Whether an interval leaves a value out. */
export function excludes([low, high]: readonly [number, number], value: number): boolean {
  return low > value || high < value
}

/** A ratio as a reader says it: `4.8 % lower`, `12 % higher`, `3.1 times as high`, `the same`. */
function change(ratio: number): string {
  if (ratio >= 1.995) return `${shown(ratio)} times as high`
  const percent = shown(Math.abs(ratio - 1) * 100)
  if (Number(percent) === 0) return 'the same'
  return `${percent} % ${ratio < 1 ? 'lower' : 'higher'}`
}

/** One decimal, two of what is small, none of what is large. */
function shown(value: number): string {
  return value >= 99.5 ? value.toFixed(0) : value.toFixed(value < 1 ? 2 : 1)
}
