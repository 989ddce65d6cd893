import { percent } from '../report/words.ts'
import { chanceOf, compared, LEAST_RUNS } from '../statistics/compare/comparison.ts'
import { compareShares, shareChance } from './compare-shares.ts'
import { wordsOf } from './measures.ts'
import type { ComparedFigure, ComparedPair, SampledFigure, Side } from './sides.ts'

type Pair = readonly [a: SampledFigure, b: SampledFigure]

/** Figures that both sides have, compared at one level. */
export function comparedFigures(
  one: Side,
  another: Side,
  common: readonly string[],
  unit: ComparedPair['unit'],
  {
    minEffect = 0.03,
    between = 0.25,
  }: { readonly minEffect?: number | undefined; readonly between?: number | undefined },
): readonly ComparedFigure[] {
  const inTurn = unit === 'turns'
  const pairs = common.map((key): Pair => {
    const pair = [one.figures.get(key) as SampledFigure, another.figures.get(key) as SampledFigure] as const
    return inTurn ? ofSameTurns(pair) : pair
  })
  const fit = told(pairs.filter(isComparable))
  const betweenOf = ({ isTail }: SampledFigure): number =>
    unit === 'moments' ? between * (isTail ? 2 : 1) : 0
  const chances = fit.map(([a, b]) =>
    a.unit === 'share'
      ? shareChance(a.values, b.values, inTurn)
      : chanceOf(a.values, b.values, { inTurn, between: betweenOf(a) }),
  )
  const level = inTurn || (unit === 'moments' && between > 0) ? 0.01 : 0.05
  const tested = chances.filter((chance) => chance !== null)
  const confidence = 1 - discoveryLevel(tested, level)
  return withheld(
    fit.map(([a, b]): ComparedFigure => {
      const { store, dimensions, figure } = a
      const names = [labelOf(one, a), labelOf(another, b)] as const
      const options = { ...wordsOf(a), confidence, minEffect, names, inTurn }
      const [values, others] = [valuesOf(a), valuesOf(b)]
      const comparison =
        a.unit === 'share'
          ? compareShares(values, others, options)
          : compared(values, others, { better: a.better, ...options, between: betweenOf(a) })
      return { store, dimensions, figure, unit: a.unit, comparison }
    }),
  )
}

/** Without turns in which one of the two does not have the figure. */
function ofSameTurns([a, b]: Pair): Pair {
  const within = (one: SampledFigure, other: SampledFigure): SampledFigure => {
    const isCommon = one.of.map((turn) => other.of.includes(turn))
    const common = <T>(list: readonly T[]): readonly T[] => list.filter((_, i) => isCommon[i])
    return { ...one, values: common(one.values), of: common(one.of) }
  }
  return [within(a, b), within(b, a)]
}

/** One value of all runs is shown, and nothing is concluded from it. */
function valuesOf({ values, whole }: SampledFigure): readonly number[] {
  return values.length === 0 ? [whole] : values
}

/** Figures that say something: no share that is zero on both sides, and no ratio of what is not above zero. */
function isComparable([a, b]: Pair): boolean {
  const all = [...valuesOf(a), ...valuesOf(b)]
  return a.unit === 'share' ? all.some((share) => share > 0) : Math.min(...all) > 0
}

/**
 * Without figures of all runs where others have figures of each run, which tell more. A percentile that a run had too few operations for
 * is among them: the mean is told all the same.
 */
function told(pairs: readonly Pair[]): readonly Pair[] {
  const isTested = ([a, b]: Pair): boolean => Math.min(a.values.length, b.values.length) >= LEAST_RUNS
  const isPercentile = ([a]: Pair): boolean => /^p\d/.test(a.figure)
  const isTime = ([a]: Pair): boolean => a.unit === 'ms'
  return pairs.filter(
    (pair) =>
      isTested(pair) ||
      (pair[0].values.length > 0 && !isPercentile(pair)) ||
      !isTime(pair) ||
      !pairs.some((other) => isTime(other) && isTested(other) && other[0].store === pair[0].store),
  )
}

/** The name of a result, with the store if there are several. */
function labelOf({ name, stores }: Side, { store }: SampledFigure): string {
  return stores.length === 1 ? name : `${name} ${store}`
}

/**
 * The level at which each of several tests decides, so that of the differences that are called one at most `level` are none, and with no
 * difference at all at most such a share of comparisons calls one: Benjamini and Hochberg, 1995. Intervals of 1 − the returned level are
 * right for those that were selected, too (Benjamini and Yekutieli, 2005).
 *
 * @param chances probability of each test if there were no difference
 * @param level of all tests together
 */
export function discoveryLevel(chances: readonly number[], level: number): number {
  const sorted = chances.toSorted((a, b) => a - b)
  const found = sorted.findLastIndex((chance, i) => chance <= (level * (i + 1)) / sorted.length)
  return (level * Math.max(1, found + 1)) / Math.max(1, sorted.length)
}

/**
 * A store that loses its records answers sooner. So nothing is called better where the share of operations that found no record, or that failed,
 * has risen, at the same place or at a part of it.
 */
function withheld(figures: readonly ComparedFigure[]): readonly ComparedFigure[] {
  const risen = figures.filter(({ unit, comparison }) => unit === 'share' && comparison.verdict === 'slower')
  return figures.map((one): ComparedFigure => {
    const cause =
      one.comparison.verdict === 'faster' ? risen.find((share) => isBeside(share, one)) : undefined
    if (cause === undefined) return one
    const [before, after] = cause.comparison.means
    const sentence = `${one.comparison.sentence.replace(/\.$/, '')}; that is not called better, as its ${cause.figure} rose from ${percent(before)} % to ${percent(after)} %.`
    return { ...one, isWithheld: true, comparison: { ...one.comparison, verdict: 'unclear', sentence } }
  })
}

/** Whether a place is the other one, or a part of it. */
function isBeside(a: ComparedFigure, b: ComparedFigure): boolean {
  if (a.store !== b.store) return false
  const isWithin = (one: ComparedFigure, other: ComparedFigure): boolean =>
    Object.entries(one.dimensions).every(([name, value]) => other.dimensions[name] === value)
  return isWithin(a, b) || isWithin(b, a)
}
