import { isPlainObject } from '@unikv/core/platform'
import { z } from 'zod'
import type { DriveRequest, DriveSample, LoadPart, LoadSample } from '../../drive/driver.ts'
import type { ToldError } from '../../drive/threads/messages.ts'
import type { IntervalSample } from '../../loop/interval-sample.ts'
import { workloadSchema } from '../../operations/workload.ts'
import type { Plain } from '../../options/option.ts'

const count = z.int().min(0)

// Manager and worker have the same version, so their types are the same; a workload is checked, as it may name a file.
const load = z.custom<LoadPart>(hasWorkload)
const request = z.custom<DriveRequest>(hasWorkload)

function hasWorkload(value: unknown): boolean {
  return isPlainObject(value) && workloadSchema.safeParse(value['workload']).success
}

/** The work of one phase. */
export type Work =
  /** Open the store, and see whether the manager's sign is in it. */
  | { readonly type: 'open' }
  | { readonly type: 'load'; readonly part: LoadPart }
  | { readonly type: 'drive'; readonly request: DriveRequest }

/** The schema of a job. */
export const jobSchema = z.strictObject({
  /** The manager's version. */
  version: z.string(),
  session: z.string().regex(/^[\w-]+$/),
  phase: count,
  share: z.strictObject({ index: count, of: count }),
  store: z.strictObject({
    /** A worker may have a URL of its own under this name. */
    name: z.string(),
    /** `null`: it may hold a secret, so it does not travel. */
    url: z.string().nullable(),
    /** Without secrets. */
    shown: z.string(),
    options: z.record(z.string(), z.unknown()),
    /** Where the records are, from the outermost namespace on. */
    namespace: z.array(z.string()),
    timeoutMs: z.number(),
    /** How the callers of all workers together reach it. */
    plan: z.strictObject({ merge: z.boolean(), connections: z.union([z.int().min(1), z.literal('each')]) }),
  }),
  records: z.strictObject({ first: count, count }),
  seed: z.number(),
  /** Records that this share inserted in earlier phases. */
  inserted: count,
  work: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('open') }),
    z.strictObject({ type: z.literal('load'), part: load }),
    z.strictObject({ type: z.literal('drive'), request }),
  ]),
  /** The program that does the work; `null`: the operations of the workload. */
  program: z.strictObject({ name: z.string(), options: z.unknown() }).nullable(),
})

/** The store of a job. */
export type JobStore = JobData['store']

/** The data of a job: one share of one phase. */
export type JobData = Plain<typeof jobSchema>

/** The progress of a job. */
export type Report =
  | { readonly type: 'taken'; readonly worker: string }
  /** Prepared: waits for the start of the phase. */
  | { readonly type: 'ready'; readonly worker: string }
  | { readonly type: 'records'; readonly records: number }
  | { readonly type: 'interval'; readonly interval: IntervalSample }

/** The answers to work. */
export interface Answers {
  readonly open: null
  readonly load: LoadSample
  readonly drive: DriveSample
}

/** The return value of a job. */
export type Outcome<A> =
  | {
      readonly type: 'done'
      readonly worker: string
      readonly answer: A
      readonly inserted: number
      /** How long after the given time it began. */
      readonly lateMs: number
    }
  | { readonly type: 'failed'; readonly worker: string; readonly error: ToldError }
  /** The worker was stopped by its user; `answer`: what it had measured by then, `null` before the phase began. */
  | {
      readonly type: 'left'
      readonly worker: string
      readonly answer: A | null
      readonly inserted: number
    }
  /** The phase had begun when the worker took the job. */
  | { readonly type: 'late'; readonly worker: string }
  /** The manager is not there any more. */
  | { readonly type: 'orphaned'; readonly worker: string }
