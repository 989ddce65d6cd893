import { z } from 'zod'
import { milliseconds, type StudyConfig, studyShape } from '../../study/study-config.ts'
import type { Peer } from './peers/peers.ts'

/** The full configuration of the study, as it appears in the result. */
export interface OverheadConfig extends StudyConfig {
  /** Records in the store at each stage; they rise. */
  readonly volumes: readonly number[]
  /** Layers of a further side, from the outermost on, as in a configuration of @unikv/manager; none: no such side. */
  readonly layers: readonly unknown[]
  /** Other libraries of the user's project as sides, over the stores where they are known. */
  readonly beside: readonly Peer[]
  /** How much later answers of the server arrive. */
  readonly delayMs: number
  /** Time for all stores, in equal shares: volumes that would not fit are not run; `null`: as long as it takes. */
  readonly budgetMs: number | null
  /** Callers that each wait for their answer. */
  readonly callers: number
  /** Bytes of a value. */
  readonly valueSize: number
  /** Length of a measurement of one operation by one side. */
  readonly durationMs: number
  /** The same before the first one, whose figures are not used. */
  readonly warmupMs: number
}

const count = z.int().min(1)

/** The schema of a configuration, with defaults. */
export const overheadConfigSchema: z.ZodType<OverheadConfig> = z.strictObject({
  volumes: z.array(count.max(1e9)).min(1).default([10_000]),
  layers: z.array(z.unknown()).default([]),
  beside: z.array(z.enum(['keyv', 'unstorage'])).default([]),
  delayMs: z.number().min(0).max(60_000).default(0),
  budgetMs: milliseconds.nullable().default(null),
  callers: count.max(1_000).default(1),
  valueSize: count.max(2 ** 24).default(1_000),
  durationMs: milliseconds.default(500),
  warmupMs: milliseconds.default(2_000),
  runs: count.max(1_000).default(9),
  ...studyShape,
})
