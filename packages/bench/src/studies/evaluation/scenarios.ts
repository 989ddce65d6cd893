import type { Latency, OperationResult } from '../../driven/result.ts'
import type { Threshold } from '../../driven/thresholds/threshold.ts'
import {
  countedOutcome,
  type FiguredRun,
  figureOf,
  isBeyond,
  isCounted,
} from '../../driven/thresholds/verdicts.ts'
import { summarise } from '../../statistics/summary.ts'
import type { Curve, CurvePoint } from '../sweep/config.ts'
import { isRefused, type SweepRecord } from '../sweep/curves.ts'
import { type EvaluationConfig, measuredIn, type Scenario } from './config.ts'
import { findsAll, missedShare } from './curves.ts'
import type { ScenarioResult } from './result.ts'

/** Each scenario for each measured candidate; `records` are the single runs behind the curves. */
export function scenarioResults(
  config: EvaluationConfig,
  curves: readonly Curve[],
  records: readonly SweepRecord[],
): ScenarioResult[] {
  return config.scenarios.flatMap((scenario) =>
    measuredIn(config, curves).map(({ name }) => {
      const curve = curves.find(({ store, load }) => store === name && load === scenario.load)
      const found = curve === undefined ? null : figureAt(curve, scenario.callers, scenario.measure)
      const missed = curve === undefined ? 0 : missedAt(config, curve, scenario)
      const refused = curve?.points.find(
        (point) => point.value === scenario.callers && isRefused(point),
      )?.refused
      const result = { scenario: scenario.name, candidate: name, found }
      if (refused !== undefined) return { ...result, found: null, holds: false, refused }
      if (missed > 0) return { ...result, holds: false, missed }
      const interval =
        found === null ? undefined : intervalOf(found, scenario.measure, runsAt(records, name, scenario))
      const holds = found !== null && isBeyond(scenario.measure, found)
      return interval === undefined
        ? { ...result, holds }
        : { ...result, holds, interval, isClose: isWithin(scenario.measure.bound, interval) }
    }),
  )
}

/** Reads without a record are quick: a store that loses records must not meet a scenario by that. */
function missedAt(config: EvaluationConfig, { load, points }: Curve, { callers, measure }: Scenario): number {
  const point = points.find(({ value }) => value === callers)
  if (point === undefined || measure.metric === 'misses' || !findsAll(config, load)) return 0
  return missedShare(point)
}

function runsAt(
  records: readonly SweepRecord[],
  candidate: string,
  { load, callers }: Scenario,
): readonly FiguredRun[] {
  return records.flatMap(({ cell, sample }) =>
    sample !== null && cell.store === candidate && cell.load.name === load && cell.value === callers
      ? [sample]
      : [],
  )
}

/** The 95 % interval of a figure, by the figures of its runs; `undefined` where those do not tell one. */
function intervalOf(
  found: number,
  measure: Threshold,
  runs: readonly FiguredRun[],
): readonly [low: number, high: number] | undefined {
  const figures = runs.flatMap((run) => figureOf(measure, [run]) ?? [])
  if (figures.length < Math.max(2, runs.length)) return undefined
  const { halfWidth } = summarise(figures)
  return halfWidth === null ? undefined : [Math.max(0, found - halfWidth), found + halfWidth]
}

function isWithin(bound: number, [low, high]: readonly [number, number]): boolean {
  return low < high && low <= bound && bound <= high
}

const percentiles: Readonly<Record<number, keyof Latency>> = {
  50: 'p50Ms',
  90: 'p90Ms',
  95: 'p95Ms',
  99: 'p99Ms',
  99.9: 'p999Ms',
  99.99: 'p9999Ms',
}

/** The percentiles that a measure can be about. */
export const knownPercentiles: readonly number[] = Object.keys(percentiles)
  .map(Number)
  .sort((a, b) => a - b)

/** The figure of a measure at a number of callers; `null`: too few operations succeeded to tell. */
function figureAt({ points }: Curve, callers: number, measure: Threshold): number | null {
  const point = points.find(({ value }) => value === callers)
  return point === undefined ? null : pointFigure(point, measure)
}

function pointFigure(point: CurvePoint, { operation, metric, unit }: Threshold): number | null {
  const own = point.operations.filter(({ name }) => operation === null || name === operation)
  const ended = sum(own, ({ count, errors }) => count + errors)
  if (isCounted(metric)) {
    const found = sum(own, ({ count, errors, outcome }) =>
      metric === 'errors' ? errors : outcome === countedOutcome[metric] ? count : 0,
    )
    // Where nothing succeeds nothing can be missed, and that says nothing.
    if (metric !== 'errors' && ended > 0 && sum(own, ({ count }) => count) === 0) return null
    if (unit === 'count') return found
    return ended === 0 ? null : found / ended
  }
  if (metric === 'rate') return operation === null ? point.rate.mean : sum(own, ({ rate }) => rate.mean)
  const times = operation === null ? point.latency : own.find(({ outcome }) => outcome === null)?.service
  return times === undefined || ended === 0 ? null : timeOf(times, metric)
}

function timeOf(times: Latency, metric: Threshold['metric']): number | null {
  if (metric === 'mean') return times.meanMs.runs.length === 0 ? null : times.meanMs.mean
  if (metric === 'min') return times.minMs
  if (metric === 'max') return times.maxMs
  const field = percentiles[metric as number]
  return field === undefined ? null : (times[field] as number | null)
}

function sum(operations: readonly OperationResult[], of: (one: OperationResult) => number): number {
  return operations.reduce((total, one) => total + of(one), 0)
}
