import { z } from 'zod'
import { ratePlanSchema } from '../../../loop/rate-plan.ts'
import type { Plain } from '../../../options/option.ts'
import { milliseconds } from '../../../study/study-config.ts'

/** Each phase of a run draws from streams of its own. */
export const mostPhases = 999

/** The schema of a phase in a configuration. */
export const phaseSchema = z.strictObject({
  name: z.string(),
  /** It is not counted. */
  warmup: z.boolean(),
  /** `null`: that of the run, as for all that follows. */
  mix: z.record(z.string(), z.number().min(0)).nullable(),
  /** Callers that wait; a rate of the run does not count then. */
  concurrency: z.int().min(1).max(100_000).nullable(),
  rate: ratePlanSchema.nullable(),
  durationMs: milliseconds.nullable(),
  /** Most operations. */
  operations: z.int().min(1).nullable(),
})

/** A part of a run, with what differs from the run. Parts follow each other on the same records. */
export type Phase = Plain<typeof phaseSchema>
