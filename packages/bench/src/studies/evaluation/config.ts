import { z } from 'zod'
import { type Threshold, thresholdSchema } from '../../driven/thresholds/threshold.ts'
import { option } from '../../options/option.ts'
import { runsSchema, type StudyConfig, studyShape } from '../../study/study-config.ts'
import { type SweepConfig, sweepConfigSchema } from '../sweep/config.ts'

/** The full configuration of an evaluation, as it appears in the result. */
export interface EvaluationConfig extends StudyConfig {
  readonly name: string
  /** The question that it answers, in the words of its author. */
  readonly question: string | null
  readonly candidates: readonly Candidate[]
  readonly sweep: SweepConfig
  readonly scenarios: readonly Scenario[]
  /** The load at which strong and eventual consistency are compared; `null`: no candidate has a second level. */
  readonly comparedLoad: string | null
}

/** A store that may serve the application. */
export interface Candidate {
  readonly name: string
  /** The name of the store in the knowledge base, such as `redis`. */
  readonly kind: string
  /** Its name for people, such as `Redis`. */
  readonly title: string
  readonly state: CandidateState
  /** Why it is not measured, a sentence each; of one that is measured, what is not known of its requirements. */
  readonly reasons: readonly string[]
  /** Whether it is measured with eventual consistency, too, as a store named `NAME-eventual`. */
  readonly hasEventual: boolean
}

/** `out`: it lacks what is required; `unreachable`: no answer; `named`: it has no URL, so only its facts are looked at. */
export type CandidateState = 'measured' | 'out' | 'unreachable' | 'named'

/** A quality-attribute scenario: what happens, and what the store must then do. */
export interface Scenario {
  readonly name: string
  readonly stimulus: string | null
  readonly environment: string | null
  readonly response: string | null
  /** It holds while the figure is so. */
  readonly measure: Threshold
  readonly load: string
  readonly callers: number
  /** How much it counts beside the others. */
  readonly weight: number
}

/** The name of the store that stands for a candidate with eventual consistency. */
export function eventualName({ name }: Pick<Candidate, 'name'>): string {
  return `${name}-eventual`
}

const text = z.string().nullable()

const candidate = z.strictObject({
  name: z.string(),
  kind: z.string(),
  title: z.string(),
  state: z.enum(['measured', 'out', 'unreachable', 'named']),
  reasons: z.array(z.string()),
  hasEventual: z.boolean(),
})

const scenario = z.strictObject({
  name: z.string(),
  stimulus: text,
  environment: text,
  response: text,
  measure: thresholdSchema,
  load: z.string(),
  callers: z.int().min(1),
  weight: z.number().positive(),
})

/** The schema of a configuration. */
export const evaluationConfigSchema: z.ZodType<EvaluationConfig> = z.strictObject({
  name: option(z.string(), { alike: null }),
  question: option(text, { alike: null }),
  candidates: z.array(candidate).min(1),
  sweep: sweepConfigSchema,
  scenarios: z.array(scenario),
  comparedLoad: text,
  runs: runsSchema,
  ...studyShape,
})
