import { z } from 'zod'
import { type Workload, workloadSchema } from '../../operations/workload.ts'
import { option } from '../../options/option.ts'
import type { SessionModel } from '../../session/model/session-model.ts'
import { milliseconds, runsSchema, type StudyConfig, studyShape } from '../../study/study-config.ts'

/** The full configuration of a job, as it appears in the result. */
export interface SessionConfig extends StudyConfig {
  readonly name: string
  /** Parameters of the document that other parts of it refer to, as texts. */
  readonly parameters: Readonly<Record<string, string>>
  readonly access: AccessConfig
  /** A benchmark of sessions, or operations on single records. */
  readonly benchmark: SessionBenchmark | 'ycsb' | 'load'
  /** The operations in place of sessions; `null`: there are sessions. */
  readonly operations: Workload | null
  /** Operations of one run, all of which insert into a place that is empty when it begins; `null`: a run ends by its time. */
  readonly loads: number | null
  /** The behavior of users: transitions, limits, think times, parameters of the benchmark. */
  readonly model: SessionModel
  /** Which model of the benchmark that is; `null`: the document has transitions of its own, or there are no sessions. */
  readonly modelName: string | null
  /** Sessions at the same time. */
  readonly sessions: number
  /** Interactions at the same time; fewer than sessions: most users think while the others act. */
  readonly callers: number
  /** Threads that share the sessions and callers. */
  readonly threads: number
  /** Workers elsewhere that share them; 0: this process. */
  readonly workers: number
  readonly warmupMs: number
  /** Length of one run. */
  readonly durationMs: number
  /** Pieces of data that are made at the same time before the runs. */
  readonly populateCallers: number
  /** Read the data again that was made. */
  readonly checkPopulation: boolean
  /** Commands that are run during each measured run. */
  readonly events: readonly JobEvent[]
  /** Commands that tell numbers over and over during each measured run. */
  readonly monitors: readonly JobMonitor[]
  /** The document of the job as XML with everything resolved, as `document.xml` beside the result has it; empty: there is none. */
  readonly document: string
}

/** A benchmark of sessions. */
export type SessionBenchmark = 'auction' | 'micro'

/** How the interactions reach the data. */
export interface AccessConfig {
  readonly style: 'entities' | 'sql'
  /** Entities alone: transactions of the store, or groups in records. */
  readonly transactions: 'auto' | 'records' | 'native'
  readonly retry: 'default' | 'optimistic' | 'pessimistic'
  /** Entities alone: the items of bids are read all by one call, or one by one as in the paper. */
  readonly joins: 'batch' | 'each'
}

/** A command during a run. */
export interface JobEvent {
  /** Milliseconds since the start of the run. */
  readonly atMs: number
  readonly command: string
}

/** A command that tells numbers, such as the load of a server. */
export interface JobMonitor {
  readonly name: string
  readonly command: string
  /** From one turn to the next, in milliseconds. */
  readonly everyMs: number
}

/** The schema of a configuration, with defaults. */
export const sessionConfigSchema: z.ZodType<SessionConfig> = z.strictObject({
  name: option(z.string().min(1), { alike: null }),
  parameters: z.record(z.string(), z.string()).default({}),
  access: z.strictObject({
    style: z.enum(['entities', 'sql']).default('entities'),
    transactions: z.enum(['auto', 'records', 'native']).default('auto'),
    retry: z.enum(['default', 'optimistic', 'pessimistic']).default('default'),
    joins: z.enum(['batch', 'each']).default('batch'),
  }),
  benchmark: z.enum(['auction', 'micro', 'ycsb', 'load']),
  operations: workloadSchema.nullable().default(null),
  loads: z.int().min(1).nullable().default(null),
  model: z.custom<SessionModel>((given) => typeof given === 'object' && given !== null),
  modelName: z.string().nullable().default(null),
  sessions: z.int().min(1).max(100_000),
  callers: z.int().min(1).max(100_000),
  threads: z.int().min(1).max(256).default(1),
  workers: z.int().min(0).max(1_000).default(0),
  warmupMs: z.number().min(0).max(86_400_000).default(2_000),
  durationMs: milliseconds.default(10_000),
  populateCallers: z.int().min(1).max(10_000).default(8),
  checkPopulation: z.boolean().default(true),
  events: z.array(z.strictObject({ atMs: z.number().min(0), command: z.string().min(1) })).default([]),
  monitors: z
    .array(
      z.strictObject({ name: z.string().min(1), command: z.string().min(1), everyMs: milliseconds.min(100) }),
    )
    .default([]),
  document: option(z.string().default(''), { alike: null }),
  runs: runsSchema.default(3),
  ...studyShape,
})
