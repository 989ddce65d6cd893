import type { Check, Mutation, Page, Read, ReadResult, ScanRange, StoreError, WriteResult } from '@unikv/core'
import type { SqliteValue } from './file/sqlite-client.ts'
import type { GroupRead, GroupReadAnswer, GroupWrite } from './groups/group-jobs.ts'

/** The content of the value column: bytes, or the text of a document. */
export type Stored = Uint8Array | string

/** One call of a verb, as it goes to the thread that has the file open. Plain data. */
export type Job =
  | { readonly verb: 'read'; readonly reads: readonly Read[] }
  | {
      readonly verb: 'write'
      readonly mutations: readonly Mutation<Stored>[]
      /** All changes are made, or none, and only if these hold. @default each change by itself */
      readonly checks?: readonly Check[] | undefined
    }
  | { readonly verb: 'scan'; readonly range: ScanRange }
  | {
      /** A query, compiled. */
      readonly verb: 'find'
      readonly text: string
      readonly values: readonly SqliteValue[]
      /** It answers records, not a row of totals. */
      readonly ofRecords: boolean
    }
  | { readonly verb: 'groupRead'; readonly read: GroupRead }
  | { readonly verb: 'groupWrite'; readonly write: GroupWrite }

/** A call that writes. */
export type WriteJob = Extract<Job, { readonly verb: 'write' }>

/** A change of a group. */
export type GroupWriteJob = Extract<Job, { readonly verb: 'groupWrite' }>

/** The answer of a job. */
export interface AnswerOf {
  readonly read: readonly ReadResult<Stored>[]
  readonly write: readonly WriteResult[]
  readonly scan: Page<Stored>
  /** Records, or one row of totals. */
  readonly find: Page<Stored> | readonly [readonly SqliteValue[]]
  /** One answer. */
  readonly groupRead: readonly [GroupReadAnswer[GroupRead['kind']]]
  /** Whether it took effect. */
  readonly groupWrite: readonly [boolean]
}

/** Jobs that may share a transaction: writes, changes of groups, and everything that reads. */
export function kindOf({ verb }: Job): 'read' | 'write' | 'group' {
  if (verb === 'groupWrite') return 'group'
  return verb === 'write' ? 'write' : 'read'
}

/** The outcome of a job: its answer, or the error of the whole call. */
export type Outcome<V extends Job['verb'] = Job['verb']> =
  | { readonly answer: AnswerOf[V] }
  | { readonly error: StoreError }

/** Whether an answer is a page of a scan, not a list of results. */
export function isPage(answer: AnswerOf[Job['verb']]): answer is Page<Stored> {
  return !Array.isArray(answer)
}
