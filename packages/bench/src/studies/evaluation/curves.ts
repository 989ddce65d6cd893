import { meanOf } from '../../statistics/summary.ts'
import type { Curve, CurvePoint } from '../sweep/config.ts'
import { isMissing } from '../sweep/curves.ts'
import { highest, isLevel, isNoisy, lawOf } from '../sweep/law.ts'
import type { EvaluationConfig } from './config.ts'
import type { Shape, ShapeOf } from './result.ts'

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

/** The highest throughput of a load for a store; 0 where it has no curve. */
export function highestRate(
  config: EvaluationConfig,
  curves: readonly Curve[],
  store: string,
  load: string,
): number {
  const curve = curves.find((one) => one.store === store && one.load === load)
  return curve === undefined ? 0 : meanOf(highestRates(config, curve))
}

/** A curve has a shape from so many values on. */
const least = 3

/** The shapes of all curves that have enough points, with runs that do not scatter too much for one. */
export function shapesOf(curves: readonly Curve[]): ShapeOf[] {
  return curves.flatMap((curve) => {
    const points = curve.points.filter((point) => !isMissing(point))
    if (points.length < least || curve.fit === null || isNoisy(curve)) return []
    const shape = shapes[curve.fit.shape]
    return [{ store: curve.store, load: curve.load, shape, at: placeOf[shape](points, curve) }]
  })
}

const shapes: Readonly<Record<NonNullable<Curve['fit']>['shape'], Shape>> = {
  linear: 'linear',
  saturating: 'saturation',
  falling: 'inflection',
  broken: 'discontinuity',
}

const placeOf: Readonly<Record<Shape, (points: readonly CurvePoint[], curve: Curve) => number | null>> = {
  linear: () => null,
  saturation: (points) => (isLevel(points) ? kneeOf(points) : null),
  inflection: (points, curve) => {
    const law = lawOf(curve)
    return law?.tells === 'peak' && !law.isExtrapolated ? law.n : highest(points).value
  },
  discontinuity: jumpOf,
}

/** Where the first callers' throughput for each would reach the highest throughput: the line of the rise meets that of the top. */
function kneeOf(points: readonly CurvePoint[]): number {
  const perCaller = Math.max(...points.map(({ value, rate }) => rate.mean / value))
  return highest(points).rate.mean / perCaller
}

/** The first value after the largest step of what each caller gets. */
function jumpOf(points: readonly CurvePoint[]): number {
  const steps = points.slice(1).map((point, i) => {
    const before = points[i] as CurvePoint
    const [slower, faster] = [before.rate.mean, point.rate.mean].sort((a, b) => a - b) as [number, number]
    // A rise up to that of the callers is none.
    const allowed = point.rate.mean > before.rate.mean ? point.value / before.value : 1
    return { at: point.value, size: faster / Math.max(slower, Number.MIN_VALUE) / allowed }
  })
  return steps.reduce((most, step) => (step.size > most.size ? step : most)).at
}
