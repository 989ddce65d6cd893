import { z } from 'zod'
import { type RatePlan, ratePlanSchema } from '../../../loop/rate-plan.ts'
import type { Workload } from '../../../operations/workload.ts'
import { milliseconds } from '../../../study/study-config.ts'

/** Each phase of a run draws from streams of its own. */
export const mostPhases = 999

/** A part of a run, with what differs from the run. Parts follow each other on the same records. */
export interface Phase {
  readonly name: string
  /** It is not counted. */
  readonly warmup: boolean
  /** `null`: that of the run, as for all that follows. */
  readonly mix: Workload['mix'] | null
  /** Callers that wait; a rate of the run does not count then. */
  readonly concurrency: number | null
  readonly rate: RatePlan | null
  readonly durationMs: number | null
  /** Most operations. */
  readonly operations: number | null
}

/** The schema of a phase in a configuration. */
export const phaseSchema: z.ZodType<Phase> = z.strictObject({
  name: z.string(),
  warmup: z.boolean(),
  mix: z.record(z.string(), z.number().min(0)).nullable(),
  concurrency: z.int().min(1).max(100_000).nullable(),
  rate: ratePlanSchema.nullable(),
  durationMs: milliseconds.nullable(),
  operations: z.int().min(1).nullable(),
})
