import type { ReportTable } from '../../report/report-table.ts'
import { formatCount, formatMs } from '../../report/words/units.ts'
import type { Comparison } from '../../statistics/compare/comparison-result.ts'
import type { ComparedFigure, ComparedPair } from './compare-results.ts'

/** A table for each pair. */
export function comparisonTables(pairs: readonly ComparedPair[]): readonly ReportTable[] {
  return pairs.map(({ names, figures }) => ({
    title: `${names[0]} and ${names[1]}: means of runs`,
    head: ['operation', 'figure', names[0], names[1], 'ratio', '95 % interval', 'verdict'],
    names: 2,
    rows: figures.map(rowOf),
  }))
}

/** The verdicts in sentences: of all operations together, and of those that changed. */
export function comparisonFindings(pairs: readonly ComparedPair[]): readonly string[] {
  return pairs.flatMap(({ differences, missing, figures }) => [
    ...differences.map((difference) => `Not measured alike: ${difference}.`),
    ...missing.map((one) => `Not compared: ${one}.`),
    ...figures
      .filter(({ operation, comparison }) => operation === 'all' || isChange(comparison))
      .map(({ operation, comparison }) =>
        operation === 'all' ? comparison.sentence : `${operation}: ${comparison.sentence}`,
      ),
  ])
}

/** Whether any figure of the later result is worse. */
export function hasRegression(pairs: readonly ComparedPair[]): boolean {
  return pairs.some(({ figures }) => figures.some(({ comparison }) => comparison.verdict === 'slower'))
}

/** Whether the results are too few or too poor to tell of a regression. */
export function isUntold(pairs: readonly ComparedPair[]): boolean {
  return pairs.some(
    ({ missing, figures }) =>
      missing.length > 0 || figures.some(({ comparison }) => comparison.verdict === 'not-enough-runs'),
  )
}

function isChange({ verdict }: Comparison): boolean {
  return verdict === 'faster' || verdict === 'slower'
}

const verdicts: Readonly<Record<Comparison['verdict'], string>> = {
  faster: 'faster',
  slower: 'slower',
  'no-difference': 'no difference',
  unclear: 'unclear',
  'not-enough-runs': 'too few runs',
}

function rowOf({ operation, figure, comparison }: ComparedFigure): readonly string[] {
  const { means, ratio, ratioInterval, verdict } = comparison
  const format = figure === 'rate' ? formatCount : formatMs
  const interval = ratioInterval === null ? '–' : ratioInterval.map((end) => end.toFixed(3)).join(' to ')
  const [a, b] = means.map(format) as [string, string]
  return [
    operation,
    figure === 'rate' ? 'ops/s' : 'mean',
    a,
    b,
    ratio.toFixed(3),
    interval,
    verdicts[verdict],
  ]
}
