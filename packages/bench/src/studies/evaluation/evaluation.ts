import type { Study, StudyContext } from '../../study/study.ts'
import type { SweepRecord } from '../sweep/curves.ts'
import type { Curve } from '../sweep/result.ts'
import { sweep } from '../sweep/sweep.ts'
import { type EvaluationConfig, evaluationConfigSchema } from './config.ts'
import { judge } from './judge.ts'
import { comparisonsOf } from './levels.ts'
import { type EvaluationCell, planEvaluation, sweepOf } from './plan.ts'
import { rankingOf, scenarioResults } from './ranking.ts'
import { report } from './report/report.ts'
import { type EvaluationBody, evaluationBodyShape } from './result.ts'
import type { EvaluationRecord } from './runner.ts'
import { shapesOf } from './shapes.ts'

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
  points: ({ sweep: config }, data) => sweep.points(config, data),
  check: (subject) => sweep.check(sweepOf(subject)),
  leastBytes: ({ sweep: config }) => sweep.leastBytes?.(config) ?? 0,
  plan: planEvaluation,
  nameOf: (cell) => sweep.nameOf(cell),
  leastMsOf: () => 0,
  labelOf: (cell) => sweep.labelOf(cell),
  runner: async (context) => {
    const { EvaluationRunner } = await import('./runner.ts')
    return EvaluationRunner.start(context)
  },
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
  const scenarios = scenarioResults(config, curves)
  const ranking = rankingOf(config, curves, scenarios, shapes)
  return { curves, failures, shapes, scenarios, comparisons: comparisonsOf(config, curves), ranking }
}
