import type { Threshold } from '../../driven/thresholds/threshold.ts'
import { type FiguredRun, figureOf, isBeyond } from '../../driven/thresholds/verdicts.ts'
import { summarise } from '../../statistics/summary.ts'
import type { Curve } from '../sweep/config.ts'
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
      const runs = runsAt(records, name, scenario)
      const found = runs.length === 0 ? null : figureOf(scenario.measure, runs)
      const missed = curve === undefined ? 0 : missedAt(config, curve, scenario)
      const refused = curve?.points.find(
        (point) => point.value === scenario.callers && isRefused(point),
      )?.refused
      const result = { scenario: scenario.name, candidate: name, found }
      if (refused !== undefined) return { ...result, found: null, holds: false, refused }
      if (missed > 0) return { ...result, holds: false, missed }
      const interval = found === null ? undefined : intervalOf(found, scenario.measure, runs)
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

/** The runs of a candidate in which each caller had a connection. */
function runsAt(
  records: readonly SweepRecord[],
  candidate: string,
  { load, callers }: Scenario,
): readonly FiguredRun[] {
  return records.flatMap(({ cell, sample }) =>
    sample !== null &&
    sample.refused === undefined &&
    cell.store === candidate &&
    cell.load.name === load &&
    cell.value === callers
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
