import type { Curve, SweepResult } from '../../sweep/result.ts'
import { eventualName } from '../config.ts'
import type { EvaluationResult } from '../result.ts'

/** The result of the sweep inside, without eventual consistency. */
export function sweptIn(result: EvaluationResult): SweepResult {
  return { ...result, config: result.config.sweep, curves: candidateCurves(result) }
}

/** The curves of the candidates themselves. */
export function candidateCurves({
  config,
  curves,
}: Pick<EvaluationResult, 'config' | 'curves'>): readonly Curve[] {
  const eventual = new Set(config.candidates.map(eventualName))
  return curves.filter(({ store }) => !eventual.has(store))
}
