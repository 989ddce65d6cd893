import type { Mutation, Page, Read, ReadResult, ScanRange, StoreError, WriteResult } from '@unikv/core'

/** What the value column holds: bytes, or the text of a document. */
export type Stored = Uint8Array | string

/** One call of a verb, as it goes to the thread that has the file open. Plain data. */
export type Job =
  | { readonly verb: 'read'; readonly reads: readonly Read[] }
  | { readonly verb: 'write'; readonly mutations: readonly Mutation<Stored>[] }
  | { readonly verb: 'scan'; readonly range: ScanRange }

/** A call that writes. */
export type WriteJob = Extract<Job, { readonly verb: 'write' }>

/** What a job is answered with. */
export interface AnswerOf {
  readonly read: readonly ReadResult<Stored>[]
  readonly write: readonly WriteResult[]
  readonly scan: Page<Stored>
}

/** What came of a job: its answer, or the error of the whole call. */
export type Outcome<V extends Job['verb'] = Job['verb']> =
  | { readonly answer: AnswerOf[V] }
  | { readonly error: StoreError }

/** Whether an answer is a page of a scan, not a list of results. */
export function isPage(answer: AnswerOf[Job['verb']]): answer is Page<Stored> {
  return !Array.isArray(answer)
}
