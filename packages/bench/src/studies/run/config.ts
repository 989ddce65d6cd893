import { z } from 'zod'
import { type Threshold, thresholdSchema } from '../../driven/thresholds/threshold.ts'
import { type RatePlan, ratePlanSchema } from '../../loop/rate-plan.ts'
import { type Workload, workloadSchema } from '../../operations/workload.ts'
import { milliseconds, type StudyConfig, studyShape } from '../../study/study-config.ts'
import { type Phase, phaseSchema } from './phases/phase.ts'

/** The full configuration of the study, as it appears in the result. */
export interface RunConfig extends StudyConfig {
  readonly workload: Workload
  /** The table whose records are used; `null`: records are loaded, and deleted in the end. */
  readonly table: string | null
  /** Parts of each run; none: a run is one part. */
  readonly phases: readonly Phase[]
  /** Callers that each wait for their answer; `null` with a rate. */
  readonly concurrency: number
  /** Worker threads that share the callers, or the rate. */
  readonly threads: number
  /** Workers elsewhere that share the callers, or the rate; 0: this process alone. */
  readonly workers: number
  /** Operations a second that begin whether or not earlier ones have ended; `null`: each caller begins when it has its answer. */
  readonly rate: RatePlan | null
  readonly arrivals: 'constant' | 'poisson'
  /** With a rate: most operations in flight, and what becomes of those beyond it. */
  readonly maxInFlight: number
  readonly whenFull: 'drop' | 'queue'
  /** Length of one run. */
  readonly durationMs: number
  /** Most operations of one run. */
  readonly operations: number | null
  /** `steady`: until its seconds are alike, a minute at most. */
  readonly warmupMs: number | 'steady'
  /** How records are brought back as they were loaded, before each run: not at all, by a snapshot, or by commands. */
  readonly reset: 'none' | 'snapshot' | 'commands'
  /** The command that keeps the records; `null` unless `reset` is `commands`. */
  readonly save: string | null
  /** The command that brings them back. */
  readonly restore: string | null
  /** No further runs when the 95 % interval of each store reaches no farther than this share to either side; `null`: all of `runs`. */
  readonly until: number | null
  /** A run ends once a threshold is crossed beyond doubt, and no further ones follow. */
  readonly failFast: boolean
  /** Bounds of figures; a run beyond one of them fails. */
  readonly failIf: readonly Threshold[]
}

/** The schema of a configuration, with defaults. */
export const runConfigSchema: z.ZodType<RunConfig> = z.strictObject({
  workload: workloadSchema,
  table: z.string().nullable().default(null),
  phases: z.array(phaseSchema).default([]),
  concurrency: z.int().min(1).max(100_000).default(16),
  threads: z.int().min(1).max(256).default(1),
  workers: z.int().min(0).max(1_000).default(0),
  rate: ratePlanSchema.nullable().default(null),
  arrivals: z.enum(['constant', 'poisson']).default('constant'),
  maxInFlight: z.int().min(1).max(1_000_000).default(1_024),
  whenFull: z.enum(['drop', 'queue']).default('drop'),
  durationMs: milliseconds.default(10_000),
  operations: z.int().min(1).nullable().default(null),
  warmupMs: z.union([z.number().min(0).max(86_400_000), z.literal('steady')]).default(2_000),
  reset: z.enum(['none', 'snapshot', 'commands']).default('none'),
  save: z.string().min(1).nullable().default(null),
  restore: z.string().min(1).nullable().default(null),
  until: z.number().positive().max(1).nullable().default(null),
  failFast: z.boolean().default(false),
  failIf: z.array(thresholdSchema).default([]),
  runs: z.int().min(1).max(1_000).default(3),
  ...studyShape,
})
