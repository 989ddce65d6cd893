import { meanOf } from '../../statistics/summary.ts'
import type { Curve, CurvePoint } from '../sweep/result.ts'
import type { EvaluationConfig } from './config.ts'

/** Reads that find no record may be so many: a store may show a record a little later. */
const acceptedShare = 0.001

/** Whether every read of a load should find its record: nothing deletes any, and no module decides by itself. */
export function findsAll({ sweep }: EvaluationConfig, load: string): boolean {
  const mix = sweep.loads.find(({ name }) => name === load)?.mix ?? {}
  return sweep.workload.module === null && (mix['delete'] ?? 0) === 0
}

/** The share of operations of a point that found no record; 0 where that is accepted. */
export function missedShare({ operations }: Pick<CurvePoint, 'operations'>): number {
  const all = operations.reduce((sum, { count }) => sum + count, 0)
  const missed = operations.reduce((sum, { count, outcome }) => (outcome === 'miss' ? sum + count : sum), 0)
  return missed <= acceptedShare * all ? 0 : missed / all
}

/** The rate of each run; where every read should find its record, those that did not are left out. */
function ratesOf(
  config: EvaluationConfig,
  { load }: Pick<Curve, 'load'>,
  point: CurvePoint,
): readonly number[] {
  if (!findsAll(config, load) || missedShare(point) === 0) return point.rate.runs
  const missed = point.operations.filter(({ outcome }) => outcome === 'miss')
  return point.rate.runs.map((rate, run) =>
    missed.reduce((left, one) => Math.max(0, left - (one.rate.runs[run] ?? 0)), rate),
  )
}

/** The rates of each run at the point with the highest mean, for a comparison of runs. */
export function ratesAtBest(config: EvaluationConfig, curve: Curve): readonly number[] {
  const points = curve.points.map((point) => ratesOf(config, curve, point))
  return points.reduce((most, one) => (meanOf(one) > meanOf(most) ? one : most))
}

/**
 * The highest throughput of a curve in each run. The point is chosen by the other runs: the highest of several means is too high by
 * chance, and more so where runs scatter more.
 */
export function highestRates(config: EvaluationConfig, curve: Curve): readonly number[] {
  const points = curve.points.map((point) => ratesOf(config, curve, point))
  const runs = Math.min(...points.map(({ length }) => length))
  return Array.from({ length: runs }, (_, run) => {
    const others = (rates: readonly number[]): number =>
      meanOf(runs === 1 ? rates : rates.filter((_rate, index) => index !== run))
    const best = points.reduce((most, one) => (others(one) > others(most) ? one : most))
    return best[run] as number
  })
}

/** The highest throughput of a load, beside that of the best candidate. */
export interface PartOfBest {
  readonly load: string
  /** From 0 to 1. */
  readonly part: number
  readonly rate: number
}

/** The highest throughput of each load for a candidate, beside the other measured ones. */
export function partsOfBest(
  config: EvaluationConfig,
  curves: readonly Curve[],
  names: readonly string[],
  candidate: string,
): readonly PartOfBest[] {
  return config.sweep.loads.map(({ name: load }) => {
    const rates = names.map((name) => highestRate(config, curves, name, load))
    const rate = highestRate(config, curves, candidate, load)
    const best = Math.max(...rates)
    return { load, rate, part: best === 0 ? 0 : rate / best }
  })
}

function highestRate(
  config: EvaluationConfig,
  curves: readonly Curve[],
  store: string,
  load: string,
): number {
  const curve = curves.find((one) => one.store === store && one.load === load)
  return curve === undefined ? 0 : meanOf(highestRates(config, curve))
}
