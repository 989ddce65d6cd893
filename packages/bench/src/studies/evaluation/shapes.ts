import { isMissing } from '../sweep/curves.ts'
import { highest, isLevel, isNoisy, lawOf } from '../sweep/law.ts'
import type { Curve, CurvePoint } from '../sweep/result.ts'
import type { Shape, ShapeOf } from './result.ts'

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
