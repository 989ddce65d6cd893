import type { ReportTable } from '../report/report-table.ts'
import type { Comparison } from '../statistics/compare/comparison-result.ts'
import { changeText, figureText, hasStores, placeText, valueText } from './measures.ts'
import type { ComparedFigure, ComparedPair } from './sides.ts'

/** Longer tables are cut to the figures that changed. */
const mostRows = 60
/** So many sentences about one pair are read. */
const mostSentences = 12

const units: Readonly<Record<ComparedPair['unit'], string>> = {
  turns: 'measured in turn',
  invocations: 'means of invocations',
  moments: 'means of runs',
}

/** A table for each pair. */
export function comparisonTables(pairs: readonly ComparedPair[]): readonly ReportTable[] {
  return pairs.map(({ names, unit, figures }) => {
    const changed = figures.filter(({ comparison }) => isChange(comparison))
    const rows = figures.length > mostRows ? changed : figures
    return {
      title: `${names[0]} and ${names[1]}: ${units[unit]}${rows === figures ? '' : `, ${changed.length} of ${figures.length} figures, which changed`}`,
      head: ['operation', 'figure', names[0], names[1], 'change', 'interval', 'verdict'],
      names: 2,
      rows: rows.map((one) => rowOf(one, hasStores(figures))),
    }
  })
}

/** The verdicts in sentences: of all operations together, and of those that changed. */
export function comparisonFindings(pairs: readonly ComparedPair[]): readonly string[] {
  return pairs.flatMap((pair) => {
    const { differences, missing, figures, names } = pair
    const heads = figures.filter(isHead)
    const told = figures.filter(
      (one) =>
        (heads.length <= 3 && heads.includes(one)) || isChange(one.comparison) || one.isWithheld === true,
    )
    const left = told.length - mostSentences
    return [
      ...differences.map((difference) => `Not measured alike: ${difference}.`),
      ...missing.map((one) => `Not compared: ${one}.`),
      ...told.slice(0, mostSentences).map((one) => sentenceOf(one, pair)),
      ...(left > 0 ? [`${left} more figures of ${names[0]} and ${names[1]} changed.`] : []),
      ...(told.length === 0 && figures.length > 0 ? [quiet(pair)] : []),
      ...(figures.some(({ comparison }) => comparison.verdict !== 'not-enough-runs') ? timeNote(pair) : []),
    ]
  })
}

/** The verdict in a few words: `12 figures: 2 worse, 1 better`. */
export function comparisonHeadline(pairs: readonly ComparedPair[]): string {
  const figures = pairs.flatMap((pair) => pair.figures)
  const count = (verdict: Comparison['verdict']): number =>
    figures.filter(({ comparison }) => comparison.verdict === verdict).length
  const parts = [
    [count('slower'), 'worse'],
    [count('faster'), 'better'],
    [count('unclear'), 'unclear'],
    [count('not-enough-runs'), 'without enough runs'],
  ] as const
  return headlineOf(parts, figures.length)
}

/** Counts in words, beside that of all. */
export function headlineOf(parts: readonly (readonly [count: number, word: string])[], all: number): string {
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  const figures = `${all} ${all === 1 ? 'figure' : 'figures'}`
  return told.length === 0 ? `${figures}: no difference` : `${figures}: ${told.join(', ')}`
}

/** Whether any figure of the later result is worse. */
export function hasRegression(pairs: readonly ComparedPair[]): boolean {
  return pairs.some(({ figures }) => figures.some(({ comparison }) => comparison.verdict === 'slower'))
}

/** Whether the results are too few or too poor to tell of a regression. */
export function isUntold(pairs: readonly ComparedPair[]): boolean {
  return pairs.some(({ missing, figures }) => {
    const tested = figures.filter(({ unit }) => unit !== 'share')
    return (
      missing.length > 0 ||
      tested.some(
        ({ comparison: { verdict, runs } }) => verdict === 'not-enough-runs' && Math.max(...runs) > 1,
      ) ||
      tested.every(({ comparison }) => comparison.verdict === 'not-enough-runs')
    )
  })
}

function sentenceOf({ comparison, ...one }: ComparedFigure, pair: ComparedPair): string {
  const place = placeText(one, false)
  const isOwn = one.unit === 'share' || place !== 'all'
  return isOwn
    ? `${place === 'all' ? '' : `${placeText(one, hasStores(pair.figures))}: `}${comparison.sentence}`
    : comparison.sentence
}

function quiet({ names, figures }: ComparedPair): string {
  const unclear = figures.filter(({ comparison }) => comparison.verdict === 'unclear').length
  const few = figures.filter(({ comparison }) => comparison.verdict === 'not-enough-runs').length
  return `No figure of ${names[0]} and ${names[1]} is different: of ${figures.length}, ${unclear} cannot be told apart and ${few} have too few runs.`
}

/** The part of time in a comparison. */
function timeNote({ names: [base, other], unit, loads, isApart }: ComparedPair): readonly string[] {
  if (unit === 'moments')
    return [
      `${base} and ${other} were measured at two moments${loadText(loads)}, and invocations of the same thing differ, too. For smaller differences measure them in turn (bench run --against), or several times each (bench compare A1 A2 A3 -- B1 B2 B3).`,
    ]
  if (isApart !== true) return []
  return [
    `All of one side was measured before all of the other, so a change of the machine in between looks like one of ${other}. Measure the two by turns (bench run --against).`,
  ]
}

function loadText([base, other]: ComparedPair['loads']): string {
  return base === null || other === null ? '' : ` (load average ${base.toFixed(1)} and ${other.toFixed(1)})`
}

/** The rate of everything at a place without operations. */
function isHead({ figure, dimensions }: ComparedFigure): boolean {
  return figure === 'rate' && !('operation' in dimensions)
}

function isChange({ verdict }: Comparison): boolean {
  return verdict === 'faster' || verdict === 'slower'
}

function rowOf(one: ComparedFigure, isOfStores: boolean): readonly string[] {
  const { unit, comparison } = one
  const { means, ratio, ratioInterval } = comparison
  const [a, b] = means.map((mean) => valueText(mean, unit)) as [string, string]
  const interval = ratioInterval === null ? '–' : ratioInterval.map(changeText).join(' to ')
  const isOpen = comparison.verdict === 'unclear' || comparison.verdict === 'not-enough-runs'
  return [
    placeText(one, isOfStores),
    figureText(one),
    a,
    b,
    isOpen ? '–' : changeText(ratio),
    interval,
    verdictText(one),
  ]
}

function verdictText({ unit, comparison: { verdict, ratio, means, runs } }: ComparedFigure): string {
  if (verdict === 'not-enough-runs') return Math.max(...runs) === 1 ? 'one value' : 'too few runs'
  if (verdict === 'no-difference') return 'no difference'
  if (verdict === 'unclear') return 'unclear'
  if (unit === 'ms' || unit === '1/s') return verdict
  if (unit === 'share') return means[1] > means[0] ? 'more' : 'fewer'
  return ratio > 1 ? 'higher' : 'lower'
}
