import { z } from 'zod'
import { type Workload, workloadSchema } from '../../operations/workload.ts'
import { type StudyConfig, studyShape } from '../../study/study-config.ts'

/** The full configuration of the study, as it appears in the result. */
export interface LoadConfig extends StudyConfig {
  readonly table: string
  readonly workload: Workload
  /** Worker threads that share the records. */
  readonly threads: number
  /** Workers elsewhere that share the records; 0: this process alone. */
  readonly workers: number
  /** Load it again if it is there. */
  readonly replace: boolean
  /** Delete it, and load nothing. */
  readonly delete: boolean
}

/** The schema of a configuration, with defaults. */
export const loadConfigSchema: z.ZodType<LoadConfig> = z.strictObject({
  table: z.string(),
  workload: workloadSchema,
  threads: z.int().min(1).max(256).default(1),
  workers: z.int().min(0).max(1_000).default(0),
  replace: z.boolean().default(false),
  delete: z.boolean().default(false),
  runs: z.literal(1).default(1),
  ...studyShape,
})
