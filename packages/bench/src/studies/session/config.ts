import { z } from 'zod'
import { type ModuleReference, moduleReferenceSchema } from '../../operations/mix.ts'
import { workloadSchema } from '../../operations/workload.ts'
import { option, type Plain } from '../../options/option.ts'
import type { SessionModel } from '../../session/model/session-model.ts'
import { milliseconds, runsSchema, studyShape } from '../../study/study-config.ts'

/** The schema of a configuration, with defaults. */
export const sessionConfigSchema = z.strictObject({
  name: option(z.string().min(1), { alike: null }),
  /** Parameters of the document that other parts of it refer to, as texts. */
  parameters: z.record(z.string(), z.string()).default({}),
  access: z.strictObject({
    /** `transactions`: each entity is a record of its own, and transactions are over records. */
    style: z.enum(['entities', 'transactions', 'sql']).default('entities'),
    /** Entities in groups alone: transactions of the store, or groups in records. */
    transactions: z.enum(['auto', 'records', 'native']).default('auto'),
    retry: z.enum(['default', 'optimistic', 'pessimistic']).default('default'),
    /** Not by SQL: the items of bids are read all by one call, or one by one as in the paper. */
    joins: z.enum(['batch', 'each']).default('batch'),
  }),
  /** A benchmark of sessions (auction, micro, or that of the module), or operations on single records. */
  benchmark: z.string().min(1),
  /** The module of the benchmark; `null`: it is built in, or there are no sessions. */
  module: option(moduleReferenceSchema.nullable().default(null), {
    alike: 'module of the benchmark',
    agreeing: (module: ModuleReference | null) => module?.sha256 ?? null,
  }),
  /** The operations in place of sessions; `null`: there are sessions. */
  operations: workloadSchema.nullable().default(null),
  /** Operations of one run, all of which insert into a place that is empty when it begins; `null`: a run ends by its time. */
  loads: z.int().min(1).nullable().default(null),
  /** The behavior of users: transitions, limits, think times, parameters of the benchmark. */
  model: z.custom<SessionModel>((given) => typeof given === 'object' && given !== null),
  /** Which model of the benchmark that is; `null`: the document has transitions of its own, or there are no sessions. */
  modelName: z.string().nullable().default(null),
  /** Sessions at the same time. */
  sessions: z.int().min(1).max(100_000),
  /** Interactions at the same time; fewer than sessions: most users think while the others act. */
  callers: z.int().min(1).max(100_000),
  /** Threads that share the sessions and callers. */
  threads: z.int().min(1).max(256).default(1),
  /** Workers elsewhere that share them; 0: this process. */
  workers: z.int().min(0).max(1_000).default(0),
  warmupMs: z.number().min(0).max(86_400_000).default(2_000),
  /** Length of one run. */
  durationMs: milliseconds.default(10_000),
  /** Pieces of data that are made at the same time before the runs. */
  populateCallers: z.int().min(1).max(10_000).default(8),
  /** Read the data again that was made. */
  checkPopulation: z.boolean().default(true),
  /** Commands that are run during each measured run. */
  events: z
    .array(
      z.strictObject({
        /** Milliseconds since the start of the run. */
        atMs: z.number().min(0),
        command: z.string().min(1),
      }),
    )
    .default([]),
  /** Commands that tell numbers over and over during each measured run, and the statistics of the store. */
  monitors: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        /** Not given: the store tells of its servers. */
        command: z.string().min(1).optional(),
        /** From one turn to the next, in milliseconds. */
        everyMs: milliseconds.min(100),
      }),
    )
    .default([]),
  /** The document of the job as XML with everything resolved, as `document.xml` beside the result has it; empty: there is none. */
  document: option(z.string().default(''), { alike: null }),
  runs: runsSchema.default(3),
  ...studyShape,
})

/** The full configuration of a job, as it appears in the result. */
export type SessionConfig = Plain<typeof sessionConfigSchema>

/** A command during a run. */
export type JobEvent = SessionConfig['events'][number]

/** A command that tells numbers, such as the load of a server, or the store itself. */
export type JobMonitor = SessionConfig['monitors'][number]
