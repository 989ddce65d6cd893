import { z } from 'zod'
import { thresholdSchema } from '../../driven/thresholds/threshold.ts'
import { option, type Plain } from '../../options/option.ts'
import type { StudySubject } from '../../study/study.ts'
import { runsSchema, studyShape } from '../../study/study-config.ts'
import { sweepConfigSchema } from '../sweep/config.ts'
import type { SweepCell } from '../sweep/setting.ts'
import { sweep } from '../sweep/sweep.ts'
import { pricesShape } from './prices.ts'

/** The candidates that have a curve. */
export function measuredIn(
  { candidates }: EvaluationConfig,
  curves: readonly { readonly store: string }[],
): readonly Candidate[] {
  return candidates.filter(({ name }) => curves.some(({ store }) => store === name))
}

/** `out`: it lacks what is required; `unreachable`: no answer; `named`: it has no URL, so only its facts are looked at. */
export type CandidateState = 'measured' | 'out' | 'unreachable' | 'named'

/** The name of the store that stands for a candidate with eventual consistency. */
export function eventualName({ name }: Pick<Candidate, 'name'>): string {
  return `${name}-eventual`
}

const text = z.string().nullable()

const candidate = z.strictObject({
  name: z.string(),
  /** The name of the store in the knowledge base, such as `redis`. */
  kind: z.string(),
  /** Its name for people, such as `Redis`. */
  title: z.string(),
  state: z.enum(['measured', 'out', 'unreachable', 'named']),
  /** Why it is not measured, a sentence each; of one that is measured, what is not known of its requirements. */
  reasons: z.array(z.string()),
  /** Whether it is measured with eventual consistency, too, as a store named `NAME-eventual`. */
  hasEventual: z.boolean(),
})

const scenario = z.strictObject({
  name: z.string(),
  stimulus: text,
  environment: text,
  response: text,
  /** It holds while the figure is so. */
  measure: thresholdSchema,
  load: z.string(),
  callers: z.int().min(1),
  /** How much it counts beside the others. */
  weight: z.number().positive(),
})

/** The schema of a configuration. */
export const evaluationConfigSchema = z.strictObject({
  name: option(z.string(), { alike: null }),
  /** The question that it answers, in the words of its author. */
  question: option(text, { alike: null }),
  candidates: z.array(candidate).min(1),
  sweep: sweepConfigSchema,
  scenarios: z.array(scenario),
  /** The load at which strong and eventual consistency are compared; `null`: no candidate has a second level. */
  comparedLoad: text,
  /** @default nothing is told of costs */
  prices: option(pricesShape.optional(), { alike: null }),
  runs: runsSchema,
  ...studyShape,
})

/** The full configuration of an evaluation, as it appears in the result. */
export type EvaluationConfig = Plain<typeof evaluationConfigSchema>

/** A store that may serve the application. */
export type Candidate = Plain<typeof candidate>

/** A quality-attribute scenario: what happens, and what the store must then do. */
export type Scenario = Plain<typeof scenario>

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
