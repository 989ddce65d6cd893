import type { Judgement, Study, StudyContext } from '../../study/study.ts'
import type { Curve, CurvePoint } from '../sweep/config.ts'
import type { SweepRecord } from '../sweep/curves.ts'
import { sweep } from '../sweep/sweep.ts'
import {
  type EvaluationCell,
  type EvaluationConfig,
  evaluationConfigSchema,
  eventualName,
  planEvaluation,
  sweepOf,
} from './config.ts'
import { costsOf } from './costs.ts'
import { shapesOf } from './curves.ts'
import { rankingOf } from './ranking.ts'
import { report } from './report/report.ts'
import { type EvaluationBody, evaluationBodyShape, type LevelComparison } from './result.ts'
import type { EvaluationRecord } from './runner.ts'
import { scenarioResults } from './scenarios.ts'

/** Which store serves an application: candidates measured by its own scenarios and workload, and ranked. */
export const evaluation: Study<EvaluationConfig, EvaluationCell, EvaluationRecord, EvaluationBody> = {
  name: 'evaluate',
  command: 'unikv evaluate',
  config: evaluationConfigSchema,
  isResumable: true,
  goesOnWithoutStores: true,
  formatVersion: 1,
  body: evaluationBodyShape,
  report,
  checkData: ({ sweep: config }, data) => sweep.checkData?.(config, data),
  check: (subject) => sweep.check(sweepOf(subject)),
  leastBytes: ({ sweep: config }) => sweep.leastBytes?.(config) ?? 0,
  plan: planEvaluation,
  nameOf: (cell) => sweep.nameOf(cell),
  labelOf: (cell) => sweep.labelOf(cell),
  runner: async (context) => (await import('./runner.ts')).EvaluationRunner.start(context),
  judge,
  aggregate,
}

function aggregate(
  context: StudyContext<EvaluationConfig>,
  records: readonly EvaluationRecord[],
): EvaluationBody {
  const { config } = context
  const failures = records.flatMap(({ cell, failure }) =>
    failure === null ? [] : [{ store: cell.store, error: failure }],
  )
  const swept = records.map(({ cell, sample }): SweepRecord => ({ cell, sample }))
  const { curves }: { readonly curves: readonly Curve[] } = sweep.aggregate(sweepOf(context), swept)
  const shapes = shapesOf(curves)
  const scenarios = scenarioResults(config, curves, swept)
  const ranking = rankingOf(config, curves, scenarios, shapes)
  const comparisons = comparisonsOf(config, curves)
  return { curves, failures, shapes, scenarios, comparisons, costs: costsOf(config, curves), ranking }
}

/** No candidate was measured, or none meets all scenarios. */
function judge({ ranking, failures }: EvaluationBody): Judgement | undefined {
  const [best] = ranking
  if (best === undefined) {
    const reasons = failures.map(({ store, error }) => `${store}: ${error}`)
    return { status: 'invalid', error: `No candidate could be measured. ${reasons.join(' ')}`.trim() }
  }
  if (best.met >= best.of) return undefined
  return { status: 'crossed', error: 'No candidate meets every scenario.' }
}

/** Strong beside eventual consistency, of each candidate that was measured with both. */
function comparisonsOf(
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
