import { z } from 'zod'
import { type Threshold, thresholdSchema } from '../../driven/thresholds/threshold.ts'
import { type OperationName, operationNames } from '../../operations/kinds.ts'
import { type StudyConfig, studyShape } from '../../study/study-config.ts'

/** The trace of a replay: where it lies, and what it holds. */
export interface TraceFacts {
  readonly file: string
  /** Names of its columns, if it has no line that names them. */
  readonly columns: readonly string[] | null
  /** Only so many of its first requests. */
  readonly limit: number | null
  /** Bytes of values whose sizes it does not tell. */
  readonly defaultSize: number
  readonly requests: number
  /** Distinct keys. */
  readonly keys: number
  /** Requests of each operation. */
  readonly mix: Readonly<Partial<Record<OperationName, number>>>
  /** Smallest and largest value in bytes. */
  readonly sizes: readonly [least: number, most: number]
  /** Time from the first request to the last one; `null` if it has no times. */
  readonly lengthMs: number | null
  /** Records that it reads or deletes before it has written them. */
  readonly startRecords: number
  /** SHA-256 of its requests. */
  readonly sha256: string
}

/** The full configuration of the study, as it appears in the result. */
export interface ReplayConfig extends StudyConfig {
  readonly trace: TraceFacts
  /** Times as fast as the trace; `max`: as fast as the callers can. */
  readonly speed: number | 'max'
  /** With the speed `max`: callers that each wait for their answer. */
  readonly concurrency: number
  /** At a speed: most requests in flight. Further ones wait. */
  readonly maxInFlight: number
  /** The records at the start: those that the trace expects, or none. */
  readonly start: 'loaded' | 'empty'
  /** The end of a read that found nothing: it is counted, or its value is written, as the user of a cache does. */
  readonly onMiss: 'count' | 'fill'
  readonly failIf: readonly Threshold[]
}

const count = z.int().min(0)

const traceFacts = z.strictObject({
  file: z.string(),
  columns: z.array(z.string()).nullable(),
  limit: z.int().min(1).nullable(),
  defaultSize: count,
  requests: z.int().min(1),
  keys: z.int().min(1),
  mix: z.partialRecord(z.enum(operationNames), count),
  sizes: z.tuple([count, count]),
  lengthMs: z.number().min(0).nullable(),
  startRecords: count,
  sha256: z.string(),
})

/** The schema of a configuration, with defaults. */
export const replayConfigSchema: z.ZodType<ReplayConfig> = z.strictObject({
  trace: traceFacts,
  speed: z.union([z.number().positive().max(1e6), z.literal('max')]),
  concurrency: z.int().min(1).max(100_000).default(16),
  maxInFlight: z.int().min(1).max(1_000_000).default(1_024),
  start: z.enum(['loaded', 'empty']).default('loaded'),
  onMiss: z.enum(['count', 'fill']).default('count'),
  failIf: z.array(thresholdSchema).default([]),
  runs: z.int().min(1).max(1_000).default(1),
  ...studyShape,
})
