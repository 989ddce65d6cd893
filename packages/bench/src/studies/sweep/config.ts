import { z } from 'zod'
import { type Workload, workloadSchema } from '../../operations/workload.ts'
import { milliseconds, type StudyConfig, studyShape } from '../../study/study-config.ts'
import { type Axis, axisFields, defaultAxis } from './axis.ts'

/** Operations that are measured by themselves, such as reads. */
export interface SweepLoad {
  readonly name: string
  readonly mix: Workload['mix']
}

/** The full configuration of the study, as it appears in the result. */
export interface SweepConfig extends StudyConfig {
  readonly over: Axis
  /** Measured one after the other, each with a curve of its own; at least one. */
  readonly loads: readonly SweepLoad[]
  /** Its mix is that of the first load. */
  readonly workload: Workload
  /** Callers that each wait for their answer, unless the sweep goes over them. */
  readonly concurrency: number
  readonly threads: number
  /** Length of one run. */
  readonly durationMs: number
  /** Most operations of one run. */
  readonly operations: number | null
  readonly warmupMs: number
}

const axis = z.strictObject({
  field: z.enum(axisFields),
  values: z.array(z.number().min(0)).min(1).max(100),
})

/** The schema of a configuration, with defaults. */
export const sweepConfigSchema: z.ZodType<SweepConfig> = z.strictObject({
  over: axis.prefault({ ...defaultAxis, values: [...defaultAxis.values] }),
  loads: z
    .array(
      z.strictObject({
        name: z.string(),
        mix: z.record(z.string(), z.number().min(0)),
      }),
    )
    .min(1),
  workload: workloadSchema,
  concurrency: z.int().min(1).max(100_000).default(16),
  threads: z.int().min(1).max(256).default(1),
  durationMs: milliseconds.default(5_000),
  operations: z.int().min(1).nullable().default(null),
  warmupMs: z.number().min(0).max(86_400_000).default(2_000),
  runs: z.int().min(1).max(1_000).default(3),
  ...studyShape,
})
