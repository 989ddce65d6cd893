import type { Curve, CurvePoint } from '../sweep/result.ts'
import { type EvaluationConfig, eventualName } from './config.ts'
import type { LevelComparison } from './result.ts'

/** Strong beside eventual consistency, of each candidate that was measured with both. */
export function comparisonsOf(
  { candidates, comparedLoad }: EvaluationConfig,
  curves: readonly Curve[],
): LevelComparison[] {
  if (comparedLoad === null) return []
  const pointsOf = (store: string): readonly CurvePoint[] =>
    curves.find((curve) => curve.store === store && curve.load === comparedLoad)?.points ?? []
  return candidates.flatMap((candidate) => {
    const strong = pointsOf(candidate.name)
    const points = pointsOf(eventualName(candidate)).flatMap(({ value, rate }) => {
      const other = strong.find((point) => point.value === value)?.rate.mean ?? 0
      if (other === 0 || rate.mean === 0) return []
      return [{ callers: value, strong: other, eventual: rate.mean, cost: 1 - other / rate.mean }]
    })
    return points.length === 0 ? [] : [{ candidate: candidate.name, load: comparedLoad, points }]
  })
}
