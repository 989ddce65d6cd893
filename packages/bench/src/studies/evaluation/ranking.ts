import { isBeyond } from '../../driven/thresholds/verdicts.ts'
import type { Curve } from '../sweep/result.ts'
import type { Candidate, EvaluationConfig, Scenario } from './config.ts'
import { figureAt } from './figures-of.ts'
import { partsOfBest } from './parts-of-best.ts'
import { placesOf, scoresOf } from './places.ts'
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
