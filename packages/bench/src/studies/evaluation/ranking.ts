import { isBeyond } from '../../driven/thresholds/verdicts.ts'
import { compared } from '../../statistics/compare/comparison.ts'
import type { Curve, CurvePoint } from '../sweep/result.ts'
import type { Candidate, EvaluationConfig, Scenario } from './config.ts'
import { figureAt } from './figures-of.ts'
import { partsOfBest } from './parts-of-best.ts'
import { reasonsOf } from './reasons.ts'
import type { Ranked, ScenarioResult, ShapeOf } from './result.ts'

/** The candidates that have a curve. */
function measuredIn({ candidates }: EvaluationConfig, curves: readonly Curve[]): readonly Candidate[] {
  return candidates.filter(({ name }) => curves.some(({ store }) => store === name))
}

/** Each scenario for each measured candidate. */
export function scenarioResults(config: EvaluationConfig, curves: readonly Curve[]): ScenarioResult[] {
  return config.scenarios.flatMap((scenario) =>
    measuredIn(config, curves).map(({ name }) => resultOf(scenario, name, curves)),
  )
}

function resultOf(
  { name, measure, load, callers }: Scenario,
  candidate: string,
  curves: readonly Curve[],
): ScenarioResult {
  const curve = curves.find((one) => one.store === candidate && one.load === load)
  const found = curve === undefined ? null : figureAt(curve, callers, measure)
  return { scenario: name, candidate, found, holds: found !== null && isBeyond(measure, found) }
}

/** Measured candidates: first by the weights of the scenarios that hold, then by throughput. */
export function rankingOf(
  config: EvaluationConfig,
  curves: readonly Curve[],
  scenarios: readonly ScenarioResult[],
  shapes: readonly ShapeOf[],
): Ranked[] {
  const of = config.scenarios.reduce((sum, { weight }) => sum + weight, 0)
  const measured = measuredIn(config, curves)
  const names = measured.map(({ name }) => name)
  const ranked = measured.map((candidate): Ranked => {
    const own = scenarios.filter((one) => one.candidate === candidate.name)
    const met = config.scenarios
      .filter(({ name }) => own.some(({ scenario, holds }) => scenario === name && holds))
      .reduce((sum, { weight }) => sum + weight, 0)
    const parts = partsOfBest(config, curves, names, candidate.name)
    const reasons = reasonsOf(config, candidate, { scenarios: own, parts, shapes })
    return {
      candidate: candidate.name,
      met,
      of,
      throughput: geometricMean(parts.map(({ part }) => part)),
      reasons,
    }
  })
  ranked.sort((a, b) => b.met - a.met || b.throughput - a.throughput)
  const places = placesOf(ranked.map((one) => ({ ...one, scores: scoresOf(curves, one.candidate) })))
  return ranked.map((one, index) => ({ ...one, places: places[index] }))
}

function geometricMean(parts: readonly number[]): number {
  if (parts.length === 0) return 0
  return Math.exp(parts.reduce((sum, part) => sum + Math.log(part), 0) / parts.length)
}

/** A candidate as it is compared with others. */
interface Placed {
  readonly met: number
  readonly throughput: number
  /** Its throughput in each run. */
  readonly scores: readonly number[]
}

/** The first and the last place of each candidate: those that cannot be told apart by their runs share places. */
function placesOf(all: readonly Placed[]): readonly (readonly [first: number, last: number])[] {
  return all.map((one) => {
    const better = all.filter((other) => isBetter(other, one)).length
    const worse = all.filter((other) => isBetter(one, other)).length
    return [better + 1, all.length - worse]
  })
}

function isBetter(one: Placed, other: Placed): boolean {
  if (one.met !== other.met) return one.met > other.met
  if (one.throughput <= other.throughput) return false
  const [a, b] = [other.scores, one.scores]
  if (Math.min(a.length, b.length) === 0 || Math.min(...a, ...b) <= 0) return true
  // Runs take the candidates in turn, so that the machine was the same for a pair of them.
  return (
    compared(a, b, { better: 'higher', inTurn: a.length === b.length && a.length > 1 }).verdict === 'faster'
  )
}

/** The throughput of each run: the geometric mean over the loads of the rates at their best point. */
function scoresOf(curves: readonly Curve[], store: string): readonly number[] {
  const best = curves.filter((curve) => curve.store === store).map(({ points }) => highest(points).rate.runs)
  const runs = Math.min(...best.map(({ length }) => length))
  if (best.length === 0) return []
  return Array.from({ length: runs }, (_, run) =>
    Math.exp(best.reduce((sum, rates) => sum + Math.log(rates[run] as number), 0) / best.length),
  )
}

function highest(points: readonly CurvePoint[]): CurvePoint {
  return points.reduce((most, point) => (point.rate.mean > most.rate.mean ? point : most))
}
