import { compared } from '../../statistics/compare/comparison.ts'
import type { Curve } from '../sweep/config.ts'
import { type EvaluationConfig, measuredIn } from './config.ts'
import { partsOfBest, ratesAtBest } from './curves.ts'
import { reasonsOf } from './reasons.ts'
import type { Ranked, ScenarioResult, ShapeOf } from './result.ts'

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
    const met = weightOf(config, own, ({ holds }) => holds)
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
  const places = placesOf(
    ranked.map(({ candidate, throughput }) => {
      const own = scenarios.filter((one) => one.candidate === candidate)
      const least = weightOf(config, own, ({ holds, isClose }) => holds && isClose !== true)
      const most = weightOf(config, own, ({ holds, isClose }) => holds || isClose === true)
      return { met: [least, most], throughput, scores: scoresOf(config, curves, candidate) }
    }),
  )
  return ranked.map((one, index) => ({ ...one, places: places[index] }))
}

/** The weights of the scenarios with such results. */
function weightOf(
  { scenarios }: EvaluationConfig,
  results: readonly ScenarioResult[],
  counts: (result: ScenarioResult) => boolean,
): number {
  const counted = new Set(results.filter(counts).map(({ scenario }) => scenario))
  return scenarios.reduce((sum, { name, weight }) => (counted.has(name) ? sum + weight : sum), 0)
}

function geometricMean(parts: readonly number[]): number {
  if (parts.length === 0) return 0
  return Math.exp(parts.reduce((sum, part) => sum + Math.log(part), 0) / parts.length)
}

/** A candidate as it is compared with others. */
interface Placed {
  /** Weights of the scenarios that hold for certain, and of those that may hold. */
  readonly met: readonly [least: number, most: number]
  readonly throughput: number
  /** Its throughput in each run. */
  readonly scores: readonly number[]
}

/** So seldom are candidates that are alike told apart, all pairs together. */
const falseAlarms = 0.05

/** The first and the last place of each candidate: those that cannot be told apart by their runs share places. */
function placesOf(all: readonly Placed[]): readonly (readonly [first: number, last: number])[] {
  const level = (2 * falseAlarms) / Math.max(2, all.length * (all.length - 1))
  return all.map((one) => {
    const better = all.filter((other) => isBetter(other, one, level)).length
    const worse = all.filter((other) => isBetter(one, other, level)).length
    return [better + 1, all.length - worse]
  })
}

function isBetter(one: Placed, other: Placed, level: number): boolean {
  if (one.met[0] > other.met[1]) return true
  if (one.met[0] < other.met[0] || one.met[1] < other.met[1] || one.throughput <= other.throughput)
    return false
  const [a, b] = [other.scores, one.scores]
  if (Math.min(a.length, b.length) === 0 || Math.min(...a, ...b) <= 0) return true
  // Runs take the candidates in turn, so that the machine was the same for a pair of them.
  const inTurn = a.length === b.length && a.length > 1
  const { verdict, paired, welch } = compared(a, b, { better: 'higher', inTurn })
  return verdict === 'faster' && ((paired ?? welch)?.p ?? 1) <= level
}

/** The throughput of each run: the geometric mean over the loads of the rates at their best point. */
function scoresOf(config: EvaluationConfig, curves: readonly Curve[], store: string): readonly number[] {
  const best = curves.filter((curve) => curve.store === store).map((curve) => ratesAtBest(config, curve))
  const runs = Math.min(...best.map(({ length }) => length))
  if (best.length === 0) return []
  return Array.from({ length: runs }, (_, run) =>
    Math.exp(best.reduce((sum, rates) => sum + Math.log(rates[run] as number), 0) / best.length),
  )
}
