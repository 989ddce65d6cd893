import { percent } from '../report/words.ts'
import { LEAST_RUNS } from '../statistics/compare/comparison.ts'
import { type Comparison, excludes } from '../statistics/compare/comparison-result.ts'
import { welchTest } from '../statistics/compare/t-tests.ts'
import { meanOf } from '../statistics/summary.ts'

/** A change of fewer operations counts as none. */
const leastChange = 0.001
/** Without runs to test, a share that rose by less counts as none. */
const clearChange = 0.01

/** How shares are compared. */
export interface SharesOptions {
  readonly figure: string
  readonly confidence: number
  readonly minEffect: number
  readonly inTurn: boolean
  readonly names: readonly [a: string, b: string]
}

/** Probability of a difference of shares at least as large if there were none; `null` with too few runs. */
export function shareChance(a: readonly number[], b: readonly number[], inTurn: boolean): number | null {
  if (Math.min(a.length, b.length) < LEAST_RUNS) return null
  return welchTest(...sides(a, b, inTurn)).p
}

/** In turn, the differences of pairs are beside none. */
function sides(
  a: readonly number[],
  b: readonly number[],
  inTurn: boolean,
): readonly [readonly number[], readonly number[]] {
  return inTurn && a.length === b.length ? [a.map((one, i) => one - (b[i] ?? 0)), [0, 0]] : [a, b]
}

/**
 * Whether a share of operations, such as those that found no record, rose (`slower`) or fell (`faster`). Welch's test of the shares of
 * runs decides; of all runs together only a change of a hundredth or more counts.
 */
export function compareShares(
  a: readonly number[],
  b: readonly number[],
  options: SharesOptions,
): Comparison {
  const { minEffect, confidence } = options
  const means = [meanOf(a), meanOf(b)] as const
  const isTested = Math.min(a.length, b.length) >= LEAST_RUNS
  const welch = isTested ? welchTest(...sides(a, b, options.inTurn), confidence) : null
  const verdict = verdictOf(means, welch === null ? null : welch.interval, minEffect)
  const found = {
    verdict,
    runs: [a.length, b.length],
    means,
    ratio: means[1] / means[0],
    ratioInterval: null,
    confidence,
    welch,
    paired: null,
    moments: null,
    mannWhitney: null,
    minEffect,
  } as const
  return { ...found, sentence: sentenceOf(verdict, means, options) }
}

function verdictOf(
  [a, b]: readonly [number, number],
  interval: readonly [number, number] | null,
  minEffect: number,
): Comparison['verdict'] {
  const change = Math.abs(b - a)
  const isLarge = change >= Math.max(leastChange, minEffect * Math.min(a, b))
  if (interval === null) {
    if (change < clearChange || !isLarge) return 'not-enough-runs'
    return b > a ? 'slower' : 'faster'
  }
  if (!excludes(interval, 0))
    return Math.max(...interval.map(Math.abs)) < leastChange ? 'no-difference' : 'unclear'
  if (!isLarge) return 'no-difference'
  return b > a ? 'slower' : 'faster'
}

function sentenceOf(
  verdict: Comparison['verdict'],
  [a, b]: readonly [number, number],
  { figure, names }: SharesOptions,
): string {
  const told = `${figure} are ${percent(b)} % of operations in ${names[1]} and ${percent(a)} % in ${names[0]}`
  if (verdict === 'slower') return `${told}: more than before.`
  if (verdict === 'faster') return `${told}: fewer than before.`
  if (verdict === 'not-enough-runs') return `${told}; there are too few runs to tell.`
  return verdict === 'unclear'
    ? `${told}, which their runs leave open.`
    : `${told}: no difference that counts.`
}
