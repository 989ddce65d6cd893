import { z } from 'zod'
import { averagedSchema, drivenBodyShape } from '../../driven/result.ts'
import type { PlainShape } from '../../options/option.ts'
import { histogramJsonSchema } from '../../statistics/histograms.ts'
import type { StudyResult } from '../../study/study.ts'
import type { SessionConfig } from './config.ts'

const count = z.int().min(0)
const amount = z.number().min(0)

const monitor = z.strictObject({
  name: z.string(),
  /** Turns that told numbers. */
  readings: count,
  /** Turns that failed, or told something else. */
  failures: count,
  /** Why the first of them counts as failed, with the first line of its standard error; `null`: none did. */
  problem: z.string().nullable(),
  series: z.array(
    z.strictObject({
      /** The name of the monitor, and that of the number if it told several. */
      name: z.string(),
      /** Milliseconds since the start of the run, and the value. */
      points: z.array(z.tuple([amount, z.number()]).readonly()),
    }),
  ),
})

const job = z.strictObject({
  name: z.string(),
  parameters: z.record(z.string(), z.string()),
  /** How conflicts are met: `optimistic`, `locks` or `SQL`; `none`: operations without transactions. */
  control: z.string(),
  /** The things that `rate` counts: a load counts records, and each of its operations is a batch of them. */
  unit: z.enum(['interactions', 'operations', 'records']),
  /** As many a second ended within the time of a run; those that ended later are in the latencies alone. */
  rate: averagedSchema,
  /** Making the data, in milliseconds. */
  populateMs: amount,
  runs: z.array(
    z.strictObject({
      run: count,
      sessions: z.strictObject({
        begun: count,
        ended: count,
        interactions: count,
        mostInteractions: count,
        newUsers: count,
      }),
      /** How often interactions had result modes: by interaction, then by mode. */
      modes: z.record(z.string(), z.record(z.string(), count)),
      /** How long interactions that were due waited for a caller, in nanoseconds. */
      waits: histogramJsonSchema,
      /** Commits, conflicts, retries and waits of transactions. */
      transactions: z.record(z.string(), amount),
      events: z.array(
        z.strictObject({
          /** Milliseconds since the start of the run. */
          atMs: amount,
          elapsedMs: amount,
          command: z.string(),
          /** Why it counts as failed; `null`: it did not. */
          problem: z.string().nullable(),
          output: z.string(),
        }),
      ),
      monitors: z.array(monitor).default([]),
    }),
  ),
  /** Sentences about data that is not consistent in the end; `null`: it was not checked. */
  problems: z.array(z.string()).nullable(),
})

/** The fields of a result that are its own. */
export const sessionBodyShape = {
  ...drivenBodyShape,
  jobs: z.array(job),
}

/** The whole result of a job: `result.json`. */
export type SessionResult = StudyResult<SessionConfig, SessionBody>

/** The fields of a result that are its own: those of driven stores, and what sessions add. */
export type SessionBody = PlainShape<typeof sessionBodyShape>

/** Figures of a job beside throughput and latencies; a page of several jobs has them all. */
export type JobResult = SessionBody['jobs'][number]

/** Counts of one run. */
export type SessionRunResult = JobResult['runs'][number]

/** The numbers that a command told during a run. */
export type MonitorResult = SessionRunResult['monitors'][number]

/** A number over time. */
export type MonitorSeries = MonitorResult['series'][number]

/** A command that was run. */
export type EventResult = SessionRunResult['events'][number]
