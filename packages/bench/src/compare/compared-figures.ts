import { chanceOf, compared, LEAST_RUNS } from '../statistics/compare/comparison.ts'
import { compareShares, shareChance } from './compare-shares.ts'
import type { ComparedFigure, ComparedPair } from './compared.ts'
import { discoveryLevel } from './false-discoveries.ts'
import type { SampledFigure, Side } from './samples.ts'
import { withheld } from './withheld.ts'
import { wordsOf } from './words.ts'

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
  const confidence =
    1 -
    discoveryLevel(
      chances.filter((chance) => chance !== null),
      level,
    )
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
    return {
      ...one,
      values: one.values.filter((_, i) => isCommon[i]),
      of: one.of.filter((_, i) => isCommon[i]),
    }
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

/** Without figures of all runs where the same place has figures of each run, which tell more. */
function told(pairs: readonly Pair[]): readonly Pair[] {
  const isTested = ([a, b]: Pair): boolean => Math.min(a.values.length, b.values.length) >= LEAST_RUNS
  const isTime = ([a]: Pair): boolean => a.unit === 'ms'
  return pairs.filter(
    (pair) =>
      isTested(pair) ||
      pair[0].values.length > 0 ||
      !isTime(pair) ||
      !pairs.some((other) => isTime(other) && isTested(other) && other[0].store === pair[0].store),
  )
}

/** The name of a result, with the store if there are several. */
function labelOf({ name, stores }: Side, { store }: SampledFigure): string {
  return stores.length === 1 ? name : `${name} ${store}`
}
