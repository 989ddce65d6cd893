import type { StudySubject } from '../../study/study.ts'
import type { SweepCell } from '../sweep/plan.ts'
import { sweep } from '../sweep/sweep.ts'
import { type EvaluationConfig, eventualName } from './config.ts'

/** A cell of the sweep over all candidates. */
export type EvaluationCell = SweepCell

/** The cells of a sweep over all stores; eventual consistency is measured for the compared load alone. */
export function planEvaluation(subject: StudySubject<EvaluationConfig>): readonly EvaluationCell[] {
  const { config } = subject
  const eventual = new Set(config.candidates.map(eventualName))
  return sweep
    .plan(sweepOf(subject))
    .filter(({ store, load, run }) => run === 0 || !eventual.has(store) || load.name === config.comparedLoad)
}

/** The same stores, to be swept. */
export function sweepOf<T extends StudySubject<EvaluationConfig>>(
  subject: T,
): Omit<T, 'config'> & { readonly config: EvaluationConfig['sweep'] } {
  return { ...subject, config: subject.config.sweep }
}

/** Milliseconds that the measuring takes, besides loading the records. */
export function leastMs({ config, ...subject }: StudySubject<EvaluationConfig>): number {
  const { durationMs, warmupMs } = config.sweep
  return planEvaluation({ config, ...subject }).reduce(
    (sum, { run }) => sum + (run === 0 ? warmupMs : durationMs),
    0,
  )
}
