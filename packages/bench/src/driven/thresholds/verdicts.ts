import type { Histogram } from '@unikv/core/histogram'
import { mergedHistogram, percentileMs } from '../../statistics/histograms.ts'
import { sumOf } from '../../statistics/summary.ts'
import { targetText } from '../report/words.ts'
import type { RunSample, TargetResult, ThresholdResult } from '../result.ts'
import { rateOf } from '../runs.ts'
import { parseThreshold, type Threshold } from './threshold.ts'

/** Where reads were checked, a wrong value fails the run. */
const noneWrong = parseThreshold('wrong > 0')

/** Every threshold in every store, by all measured runs together. */
export function thresholdResults(
  thresholds: readonly Threshold[],
  targets: readonly Pick<TargetResult, 'store' | 'phase' | 'runs'>[],
): ThresholdResult[] {
  const isChecked = targets.some(({ runs }) => runs.some(({ checks }) => checks !== null))
  const isBounded = !isChecked || thresholds.some(({ metric }) => metric === 'wrong')
  const all = isBounded ? thresholds : [...thresholds, noneWrong]
  return targets.flatMap(({ store, phase, runs }) =>
    all
      .filter((one) => isAbout(one, runs))
      .map((threshold): ThresholdResult => {
        const found = figureOf(threshold, runs)
        return {
          store: targetText({ store, phase }),
          text: threshold.text,
          found,
          isCrossed: found !== null && isBeyond(threshold, found),
        }
      }),
  )
}

/** A phase may do other operations than the one that a threshold is about. */
function isAbout({ operation }: Threshold, [first]: readonly RunSample[]): boolean {
  return operation === null || first?.kinds.some(({ name }) => name === operation) === true
}

/** Whether a figure is beyond the bound of a threshold. */
export function isBeyond({ comparison, bound }: Threshold, found: number): boolean {
  if (comparison === '>') return found > bound
  if (comparison === '>=') return found >= bound
  return comparison === '<' ? found < bound : found <= bound
}

/** Figures that count the operations with an outcome; errors have none. */
const countedOutcome = { errors: undefined, misses: 'miss', stale: 'stale' } as const

/** Whether a figure counts operations that did not succeed. */
function isCounted(metric: Threshold['metric']): metric is keyof typeof countedOutcome {
  return typeof metric === 'string' && Object.hasOwn(countedOutcome, metric)
}

/** The part of a run that thresholds are about. */
export type FiguredRun = Pick<RunSample, 'countedMs' | 'kinds' | 'checks'>

/** The figure of a threshold, of several runs together; `null`: there are too few operations to tell. */
export function figureOf(threshold: Threshold, runs: readonly FiguredRun[]): number | null {
  const { metric, unit } = threshold
  if (metric === 'wrong') return wrongOf(unit, runs)
  const kinds = kindsOf(threshold, runs)
  if (isCounted(metric)) {
    // Where nothing answers, nothing can be missed or stale, and that says nothing.
    if (metric !== 'errors' && answersOf(kinds) === 0) return null
    const found = sumOf(kinds, ({ outcome, service, errors }) =>
      metric === 'errors' ? errors : outcome === countedOutcome[metric] ? service.count : 0,
    )
    if (unit === 'count') return found
    const of = countedOf(metric, kinds)
    return of === 0 ? null : found / of
  }
  if (metric === 'rate') {
    const countedMs = sumOf(runs, (run) => run.countedMs)
    return countedMs === 0 ? null : rateOf({ countedMs, kinds })
  }
  const times = timesOf(threshold, kinds)
  return times === undefined ? null : timeOf(times, metric)
}

/** The operations that a share or a percentile is about: all of them, and those beyond the bound. */
export interface BeyondBound {
  readonly beyond: number
  readonly of: number
  /** The share that may be beyond it. */
  readonly allowed: number
}

/** Operations beyond the bound of a share or a percentile; `undefined`: the figure is of another kind. */
export function beyondBound(threshold: Threshold, runs: readonly FiguredRun[]): BeyondBound | undefined {
  const { metric, unit, bound } = threshold
  const kinds = kindsOf(threshold, runs)
  if (unit === 'share') {
    const of = countedOf(metric, kinds)
    return { beyond: Math.round((figureOf(threshold, runs) ?? 0) * of), of, allowed: bound }
  }
  if (typeof metric !== 'number') return undefined
  const times = timesOf(threshold, kinds)
  const beyond = times === undefined ? 0 : times.count - times.countUpTo(bound * 1e6)
  return { beyond, of: times?.count ?? 0, allowed: 1 - metric / 100 }
}

type Kinds = FiguredRun['kinds']

/** Kinds of operations that a threshold is about: of stale reads those alone that can tell. */
function kindsOf({ operation, metric }: Threshold, runs: readonly FiguredRun[]): Kinds {
  return runs.flatMap(({ kinds }) => {
    const telling = kinds.filter(({ outcome }) => outcome === 'stale').map(({ name }) => name)
    return kinds.filter(
      ({ name }) =>
        (operation === null || name === operation) && (metric !== 'stale' || telling.includes(name)),
    )
  })
}

/** Operations that a share is of: all that ended, but a failure does not tell whether it was stale. */
function countedOf(metric: Threshold['metric'], kinds: Kinds): number {
  return answersOf(kinds) + (metric === 'stale' ? 0 : sumOf(kinds, ({ errors }) => errors))
}

function answersOf(kinds: Kinds): number {
  return sumOf(kinds, ({ service }) => service.count)
}

function timesOf(threshold: Threshold, kinds: Kinds): Histogram | undefined {
  const successes = kinds.filter(({ outcome }) => outcome === null)
  return mergedHistogram(
    successes.map(({ service, response }) =>
      threshold.times === 'service' ? service : (response ?? service),
    ),
  )
}

function wrongOf(unit: Threshold['unit'], runs: readonly FiguredRun[]): number | null {
  const counts = runs.flatMap(({ checks }) => checks ?? [])
  const checked = sumOf(counts, (one) => one.checked)
  const wrong = sumOf(counts, (one) => one.wrong)
  if (checked === 0) return null
  return unit === 'count' ? wrong : wrong / checked
}

/** Milliseconds. */
function timeOf(times: Histogram, metric: number | 'mean' | 'min' | 'max'): number | null {
  if (times.count === 0) return null
  return typeof metric === 'number' ? percentileMs(times, metric) : times[metric] / 1e6
}
