import type { MannWhitneyTest } from './mann-whitney.ts'
import type { MomentsTest } from './moments.ts'
import type { PairedTest } from './paired.ts'
import type { WelchTest } from './welch.ts'

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
