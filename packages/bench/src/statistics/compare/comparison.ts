import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { meanOf } from '../summary.ts'
import { type Comparison, comparisonSentence, excludes } from './comparison-result.ts'
import { bootstrapRatio, mannWhitneyTest } from './resampling.ts'
import { momentsTest, pairedTest, welchTest } from './t-tests.ts'

/** How two samples of runs are compared. */
export interface ComparisonOptions {
  /** Whether lower figures are better, as for times, or higher ones, as for rates. */
  readonly better: 'lower' | 'higher'
  /** Change of the mean, as a share of the first mean, below which two samples count as alike. @default 0.03 */
  readonly minEffect?: number | undefined
  /**
   * Whether run i of both was measured at about the same time, so that pairs of runs are compared. Needs as many runs of
   * either. @default false
   */
  readonly inTurn?: boolean | undefined
  /**
   * The two are invocations at two moments, whose means differ by so much (standard deviation, as a share) though the same thing was measured.
   * 0: their runs say all. @default 0
   */
  readonly between?: number | undefined
  /** Share of intervals that hold the true ratio; a difference is one if its interval leaves no doubt. @default 0.95 */
  readonly confidence?: number | undefined
  /** The figure in the sentence. @default 'time' where lower ones are better, else 'rate' */
  readonly figure?: string | undefined
  /** Words for a `b` that is better, and for one that is worse. @default ['faster', 'slower'] */
  readonly words?: readonly [better: string, worse: string] | undefined
  /** Seed of the bootstrap. @default 1 */
  readonly seed?: number | undefined
  /** Names of the two in the sentence. @default ['a', 'b'] */
  readonly names?: readonly [a: string, b: string] | undefined
}

/** With fewer runs of either there is no verdict. */
export const LEAST_RUNS = 3

const optionNames: OptionNames<ComparisonOptions> = {
  better: true,
  minEffect: true,
  inTurn: true,
  between: true,
  confidence: true,
  figure: true,
  words: true,
  seed: true,
  names: true,
}

/**
 * Whether `b` is faster or slower than `a`, by the means of whole runs. Never by single operations: those of one run are
 * not independent. There is a difference only if the 95 % interval of Welch's test excludes 0 and that of the ratio 1 (for runs in turn,
 * that of the paired test), and the means differ by `minEffect` or more. Without one, runs that vary so much that a difference may hide are `unclear`; with fewer than three runs of either
 * there is no verdict.
 *
 * @throws {RangeError} if a sample is empty or holds a figure that is not above 0; `StoreError` with `INVALID_CONFIG` for a
 * wrong option
 */
export function compared(a: readonly number[], b: readonly number[], options: ComparisonOptions): Comparison {
  checkFactoryOptions('compared', options, optionNames)
  const { better, minEffect = 0.03, names = ['a', 'b'], figure, words } = options
  checkBetter(better)
  checkShare(minEffect)
  checkSample(names[0], a)
  checkSample(names[1], b)
  const found = Math.min(a.length, b.length) < LEAST_RUNS ? undecided(a, b, options) : tested(a, b, options)
  const whole = { ...found, minEffect, verdict: verdictOf(found, minEffect, better) }
  return {
    ...whole,
    sentence: comparisonSentence(whole, names, figure ?? (better === 'lower' ? 'time' : 'rate'), words),
  }
}

/** Probability of a difference at least as large if there were none, by the test that decides; `null` with too few runs. */
export function chanceOf(
  a: readonly number[],
  b: readonly number[],
  { inTurn = false, between = 0 }: Pick<ComparisonOptions, 'inTurn' | 'between'>,
): number | null {
  if (Math.min(a.length, b.length) < LEAST_RUNS) return null
  if (inTurn) return pairedTest(a, b).p
  return between > 0 ? momentsTest(a, b, between).p : welchTest(a, b).p
}

type Tested = Omit<Comparison, 'sentence' | 'verdict' | 'minEffect'>

function undecided(
  a: readonly number[],
  b: readonly number[],
  { confidence = 0.95 }: ComparisonOptions,
): Tested {
  const none = { ratioInterval: null, welch: null, paired: null, moments: null, mannWhitney: null }
  return { ...figuresOf(a, b), confidence, ...none }
}

function tested(
  a: readonly number[],
  b: readonly number[],
  { inTurn = false, between = 0, confidence = 0.95, seed = 1 }: ComparisonOptions,
): Tested {
  const paired = inTurn ? pairedTest(a, b, confidence) : null
  const moments = !inTurn && between > 0 ? momentsTest(a, b, between, confidence) : null
  const tests = { welch: welchTest(a, b, confidence), mannWhitney: mannWhitneyTest(a, b), paired, moments }
  const figures = { ...figuresOf(a, b), confidence, ...tests }
  if (paired !== null) return { ...figures, ratio: paired.ratio, ratioInterval: paired.interval }
  return { ...figures, ratioInterval: moments?.interval ?? bootstrapRatio(a, b, seed, confidence) }
}

function figuresOf(a: readonly number[], b: readonly number[]): Pick<Tested, 'runs' | 'means' | 'ratio'> {
  const means = [meanOf(a), meanOf(b)] as const
  return { runs: [a.length, b.length], means, ratio: means[1] / means[0] }
}

function verdictOf(
  { ratio, ratioInterval, means, welch, paired, moments }: Tested,
  minEffect: number,
  better: ComparisonOptions['better'],
): Comparison['verdict'] {
  if (welch === null || ratioInterval === null) return 'not-enough-runs'
  // Changes that are left open, as shares of the first mean: by the test, and by the interval that is told beside the verdict.
  const told = [ratioInterval[0] - 1, ratioInterval[1] - 1] as const
  const [low, high] =
    paired === null && moments === null
      ? [Math.min(told[0], -welch.interval[1] / means[0]), Math.max(told[1], -welch.interval[0] / means[0])]
      : told
  if (!excludes([low, high], 0)) {
    const greatest = Math.max(-low, high)
    return greatest < minEffect || greatest === 0 ? 'no-difference' : 'unclear'
  }
  if (Math.abs(ratio - 1) < minEffect) return 'no-difference'
  return ratio < 1 === (better === 'lower') ? 'faster' : 'slower'
}

function checkBetter(better: unknown): void {
  if (better !== 'lower' && better !== 'higher') throw new RangeError('`better` must be `lower` or `higher`.')
}

function checkShare(minEffect: number): void {
  if (!(minEffect >= 0 && Number.isFinite(minEffect)))
    throw new RangeError(`\`minEffect\` must be a share from 0, such as 0.03, got ${minEffect}.`)
}

function checkSample(name: string, runs: readonly number[]): void {
  if (runs.length === 0) throw new RangeError(`There is no run of ${name} to compare.`)
  const wrong = runs.find((run) => !(run > 0 && Number.isFinite(run)))
  if (wrong !== undefined) throw new RangeError(`Figures of runs must be above 0, got ${wrong} of ${name}.`)
}
