import { z } from 'zod'
import { milliseconds, type StudyConfig, studyShape } from '../../study/study-config.ts'
import type { LevelPair } from './levels.ts'

/** Commands that disturb the servers and undo that again, for a second measurement of everything. */
export interface Disturbance {
  /** Such as one that pauses a node. It must end by itself. */
  readonly disturb: string
  readonly undo: string
}

/** The full configuration of the study, as it appears in the result. */
export interface ConsistencyConfig extends StudyConfig {
  /** The first pair is the one that the others are compared with; `null`: those that each store declares. */
  readonly levels: readonly LevelPair[] | null
  /** The parts of the study to measure. */
  readonly parts: readonly ('throughput' | 'stale')[]
  /** Numbers of callers that each wait for their answer; they rise. */
  readonly callers: readonly number[]
  readonly records: number
  /** Bytes of a value. */
  readonly valueSize: number
  /** Per cent of the operations that read; the others update. */
  readonly readShare: number
  /** Length of a measurement of throughput. */
  readonly durationMs: number
  readonly warmupMs: number
  /** Writes in a run that are followed by reads. */
  readonly probes: number
  /** So many begin in a second. */
  readonly probeRate: number
  /** Each reader reads at these times after a write was acknowledged; they rise. */
  readonly delaysMs: readonly number[]
  /** A write that a reader does not see by then counts as seen later. */
  readonly horizonMs: number
  readonly disturbance: Disturbance | null
}

const count = z.int().min(1)
const level = z.string().min(1)

/** The schema of a configuration, with defaults. */
export const consistencyConfigSchema: z.ZodType<ConsistencyConfig> = z.strictObject({
  levels: z
    .array(z.strictObject({ write: level, read: level }))
    .min(1)
    .nullable()
    .default(null),
  parts: z
    .array(z.enum(['throughput', 'stale']))
    .min(1)
    .default(['throughput', 'stale']),
  callers: z.array(count.max(100_000)).min(1).max(100).default([1, 8, 32]),
  records: count.max(1e9).default(1_000),
  valueSize: count.max(2 ** 24).default(1_000),
  readShare: z.number().min(0).max(100).default(80),
  durationMs: milliseconds.default(2_000),
  warmupMs: z.number().min(0).max(86_400_000).default(2_000),
  probes: count.max(100_000).default(100),
  probeRate: z.number().positive().max(10_000).default(25),
  delaysMs: z
    .array(z.number().min(0).max(3_600_000))
    .min(1)
    .max(100)
    .default([0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]),
  horizonMs: milliseconds.default(2_000),
  disturbance: z
    .strictObject({ disturb: z.string().min(1), undo: z.string().min(1) })
    .nullable()
    .default(null),
  runs: count.max(1_000).default(5),
  ...studyShape,
})
