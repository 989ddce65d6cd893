import type { MannWhitneyTest } from './mann-whitney.ts'
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
  /** Mean of `b` divided by mean of `a`. */
  readonly ratio: number
  /** 95 % bootstrap interval of `ratio`; `null` without enough runs. */
  readonly ratioInterval: readonly [low: number, high: number] | null
  /** The test of a − b, which decides the verdict; `null` without enough runs. */
  readonly welch: WelchTest | null
  /** A check by ranks, for the reader; `null` without enough runs. */
  readonly mannWhitney: MannWhitneyTest | null
  readonly minEffect: number
}
