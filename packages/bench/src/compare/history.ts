import { invalidArgument } from '../options/invalid.ts'
import { meanOf } from '../statistics/summary.ts'
import { changePoints } from './e-divisive.ts'
import { figureKey, figuresOf } from './figures.ts'
import type { ResultFigure } from './measures.ts'
import { differences, type NamedResult } from './sides.ts'

/** A point of a history from which on a figure has another level. */
export interface ChangePoint {
  /** Index of the first result after it. */
  readonly at: number
  /** Name of that result. */
  readonly name: string
  /** Means of the results between this change and the ones beside it. */
  readonly before: number
  readonly after: number
  readonly verdict: 'faster' | 'slower'
  readonly p: number
}

/** A figure over time. */
export interface HistoryFigure {
  readonly store: string
  readonly dimensions: ResultFigure['dimensions']
  readonly figure: string
  readonly unit: ResultFigure['unit']
  /** One of each result; `null`: the result does not have it. */
  readonly values: readonly (number | null)[]
  readonly changes: readonly ChangePoint[]
  /** The least step, as a share, that is found in nine cases of ten at this noise; `null` of a share, or of too few results. */
  readonly visible: number | null
  /** `unclear`: the results vary so much that a step of a tenth may hide. */
  readonly verdict: 'changed' | 'steady' | 'unclear' | 'too-few-results'
}

/** Results of the same thing in the order of time. */
export interface History {
  readonly results: readonly { readonly name: string; readonly startedAt: string }[]
  /** Older results, which are left out. */
  readonly older: number
  /** Neighbors that were not measured alike, in sentences. */
  readonly differences: readonly string[]
  readonly figures: readonly HistoryFigure[]
}

/** How a history is looked at. */
export interface HistoryOptions {
  /** Change, as a share, below which two levels count as alike. @default 0.03 */
  readonly minEffect?: number | undefined
  /** Take results that were not measured alike, too. @default false */
  readonly force?: boolean | undefined
}

/** Fewer results cannot tell a change from chance. */
const leastResults = 16
/** More results take minutes. */
const mostResults = 100
/** A step that should be seen. */
const mustBeVisible = 0.1
/** Steps, in deviations of a mean of half of the results, that are found in nine cases of ten. */
const visibleDeviations = 6.8
/** Shares of operations that changed by less count as alike. */
const leastShare = 0.001

/**
 * Points at which figures of results changed over time. A result counts once, by its mean or by the percentile of all its runs.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if there are fewer than two results, or if some were not measured alike and `force` is not set
 */
export function historyOf(given: readonly NamedResult[], options: HistoryOptions = {}): History {
  const sorted = given.toSorted((a, b) => (a.result.startedAt < b.result.startedAt ? -1 : 1))
  const results = sorted.slice(-mostResults)
  const [first] = results
  if (first === undefined || results.length < 2) throw invalidArgument('A history needs two results or more.')
  const unlike = results.slice(1).flatMap((one, i) => {
    const before = results[i] as NamedResult
    return differences(before, one).map((what) => `from ${before.name} to ${one.name}: ${what}`)
  })
  const more = unlike.length > 1 ? ` (and ${unlike.length - 1} more)` : ''
  if (unlike.length > 0 && options.force !== true)
    throw invalidArgument(
      `The results were not measured alike ${unlike[0]}${more}. Leave some out, or add --force.`,
    )
  const all = results.map(({ study, result }) => {
    return new Map(figuresOf(study.report.rows(result)).map((one) => [figureKey(one), one]))
  })
  const keys = [...new Set(all.flatMap((own) => [...own.keys()]))]
  const names = results.map(({ name }) => name)
  return {
    results: results.map(({ name, result }) => ({ name, startedAt: result.startedAt })),
    older: sorted.length - results.length,
    differences: unlike,
    figures: keys.flatMap((key) =>
      historyFigures(
        all.map((own) => own.get(key)),
        names,
        options,
      ),
    ),
  }
}

/** A figure, unless it says nothing: a share that is zero in all results, or a value that is not above zero. */
function historyFigures(
  found: readonly (ResultFigure | undefined)[],
  names: readonly string[],
  { minEffect = 0.03 }: HistoryOptions,
): readonly HistoryFigure[] {
  const known = found.flatMap((one, index) => (one === undefined ? [] : [{ index, value: one.whole }]))
  const { store, dimensions, figure, unit, better } = found.find((one) => one !== undefined) as ResultFigure
  const isShare = unit === 'share'
  if (isShare ? known.every(({ value }) => value === 0) : known.some(({ value }) => value <= 0)) return []
  const scaled = known.map(({ value }) => (isShare ? value : Math.log(value)))
  const splits = known.length < leastResults ? [] : changePoints(scaled)
  const ends = [0, ...splits.map(({ at }) => at), known.length]
  const levels = ends.slice(1).map((end, i) => meanOf(scaled.slice(ends[i], end)))
  const changes = splits.flatMap(({ at, p }, i): readonly ChangePoint[] => {
    const [before, after] = [levels[i] as number, levels[i + 1] as number]
    const isLarge = isShare
      ? Math.abs(after - before) >= leastShare
      : Math.abs(Math.expm1(after - before)) >= minEffect
    const { index } = known[at] as { index: number }
    const isBetter = after > before === (better === 'higher')
    const told = [before, after].map((level) => (isShare ? level : Math.exp(level)))
    const verdict = isBetter ? 'faster' : 'slower'
    if (!isLarge) return []
    return [
      {
        at: index,
        name: names[index] as string,
        before: told[0] as number,
        after: told[1] as number,
        verdict,
        p,
      },
    ]
  })
  const visible = isShare || known.length < leastResults ? null : visibleStep(scaled, ends, levels)
  const verdict = verdictOf(known.length, changes, visible)
  const values = found.map((one) => one?.whole ?? null)
  return [{ store, dimensions, figure, unit, values, changes, visible, verdict }]
}

function verdictOf(
  count: number,
  changes: readonly ChangePoint[],
  visible: number | null,
): HistoryFigure['verdict'] {
  if (count < leastResults) return 'too-few-results'
  if (changes.length > 0) return 'changed'
  return visible !== null && visible > mustBeVisible ? 'unclear' : 'steady'
}

/** The least step in the middle that would be found, by the scatter around the levels. */
function visibleStep(scaled: readonly number[], ends: readonly number[], levels: readonly number[]): number {
  const squares = levels.reduce((sum, level, i) => {
    return sum + scaled.slice(ends[i], ends[i + 1]).reduce((own, value) => own + (value - level) ** 2, 0)
  }, 0)
  const deviation = Math.sqrt(squares / Math.max(1, scaled.length - levels.length))
  return Math.expm1(visibleDeviations * deviation * Math.sqrt(4 / scaled.length))
}
