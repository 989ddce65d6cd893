import { isPlainObject } from '@unikv/core/platform'
import { z } from 'zod'
import type { ClientPlan } from '../../drive/clients.ts'
import type { DriveRequest, LoadPart } from '../../drive/driver.ts'
import type { DriveSample, LoadSample } from '../../drive/sample.ts'
import type { PlainError } from '../../drive/threads/messages.ts'
import type { IntervalSample } from '../../loop/interval-sample.ts'
import { workloadSchema } from '../../operations/workload.ts'

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

/** The store of a job. */
export interface JobStore {
  /** A worker may have a URL of its own under this name. */
  readonly name: string
  /** `null`: it may hold a secret, so it does not travel. */
  readonly url: string | null
  /** Without secrets. */
  readonly shown: string
  readonly options: Readonly<Record<string, unknown>>
  /** Where the records are, from the outermost namespace on. */
  readonly namespace: readonly string[]
  readonly timeoutMs: number
  /** How the callers of all workers together reach it. */
  readonly plan: ClientPlan
}

/** The data of a job: one share of one phase. */
export interface JobData {
  /** The manager's version. */
  readonly version: string
  readonly session: string
  readonly phase: number
  readonly share: { readonly index: number; readonly of: number }
  readonly store: JobStore
  readonly records: { readonly first: number; readonly count: number }
  readonly seed: number
  /** Records that this share inserted in earlier phases. */
  readonly inserted: number
  readonly work: Work
  /** The program that does the work; `null`: the operations of the workload. */
  readonly program: { readonly name: string; readonly options: unknown } | null
}

/** The schema of a job. */
export const jobSchema: z.ZodType<JobData> = z.strictObject({
  version: z.string(),
  session: z.string().regex(/^[\w-]+$/),
  phase: count,
  share: z.strictObject({ index: count, of: count }),
  store: z.strictObject({
    name: z.string(),
    url: z.string().nullable(),
    shown: z.string(),
    options: z.record(z.string(), z.unknown()),
    namespace: z.array(z.string()),
    timeoutMs: z.number(),
    plan: z.strictObject({ merge: z.boolean(), connections: z.int().min(1) }),
  }),
  records: z.strictObject({ first: count, count }),
  seed: z.number(),
  inserted: count,
  work: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('open') }),
    z.strictObject({ type: z.literal('load'), part: load }),
    z.strictObject({ type: z.literal('drive'), request }),
  ]),
  program: z.strictObject({ name: z.string(), options: z.unknown() }).nullable(),
})

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
  | { readonly type: 'failed'; readonly worker: string; readonly error: PlainError }
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
