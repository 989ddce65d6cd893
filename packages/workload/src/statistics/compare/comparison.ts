import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { meanOf } from '../moments.ts'
import { bootstrapRatio } from './bootstrap.ts'
import type { Comparison } from './comparison-result.ts'
import { comparisonSentence } from './comparison-sentence.ts'
import { mannWhitneyTest } from './mann-whitney.ts'
import { welchTest } from './welch.ts'

/** How two samples of runs are compared. */
export interface ComparisonOptions {
  /** Whether lower figures are better, as for times, or higher ones, as for rates. */
  readonly better: 'lower' | 'higher'
  /** Change of the mean, as a share of the first mean, below which two samples count as alike. @default 0.03 */
  readonly minEffect?: number | undefined
  /** Seed of the bootstrap. @default 1 */
  readonly seed?: number | undefined
  /** Names of the two in the sentence. @default ['a', 'b'] */
  readonly names?: readonly [a: string, b: string] | undefined
}

const LEAST_RUNS = 3

const optionNames: OptionNames<ComparisonOptions> = { better: true, minEffect: true, seed: true, names: true }

/**
 * Whether `b` is faster or slower than `a`, by the means of whole runs. Never by single operations: those of one run are
 * not independent. There is a difference only if the 95 % interval of Welch's test excludes 0, and the means differ by `minEffect`
 * or more. Without one, runs that vary so much that a difference may hide are `unclear`; with fewer than three runs of either
 * there is no verdict.
 *
 * @throws {RangeError} if a sample is empty or holds a figure that is not above 0; `StoreError` with `INVALID_CONFIG` for a
 * wrong option
 */
export function compared(a: readonly number[], b: readonly number[], options: ComparisonOptions): Comparison {
  checkFactoryOptions('compared', options, optionNames)
  const { better, minEffect = 0.03, seed = 1, names = ['a', 'b'] } = options
  checkBetter(better)
  checkShare(minEffect)
  checkSample(names[0], a)
  checkSample(names[1], b)
  const means = [meanOf(a), meanOf(b)] as const
  const figures = { runs: [a.length, b.length] as const, means, ratio: means[1] / means[0], minEffect }
  const found =
    Math.min(...figures.runs) < LEAST_RUNS ? withoutVerdict(figures) : judged(a, b, figures, better, seed)
  return { ...found, sentence: comparisonSentence(found, better, names) }
}

type Figures = Pick<Comparison, 'runs' | 'means' | 'ratio' | 'minEffect'>

function withoutVerdict(figures: Figures): Omit<Comparison, 'sentence'> {
  return { verdict: 'not-enough-runs', ...figures, ratioInterval: null, welch: null, mannWhitney: null }
}

function judged(
  a: readonly number[],
  b: readonly number[],
  figures: Figures,
  better: ComparisonOptions['better'],
  seed: number,
): Omit<Comparison, 'sentence'> {
  const welch = welchTest(a, b)
  const tests = { ratioInterval: bootstrapRatio(a, b, seed), welch, mannWhitney: mannWhitneyTest(a, b) }
  const [low, high] = welch.interval
  return {
    verdict: verdictOf(figures, low > 0 || high < 0, Math.max(-low, high), better),
    ...figures,
    ...tests,
  }
}

/** @param greatest the end of the interval that is farthest from 0 */
function verdictOf(
  { ratio, means, minEffect }: Figures,
  excludesNone: boolean,
  greatest: number,
  better: ComparisonOptions['better'],
): Comparison['verdict'] {
  if (!excludesNone) return greatest < minEffect * means[0] || greatest === 0 ? 'no-difference' : 'unclear'
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
