import type { Answer, Executions } from '../model/benchmark.ts'

/** Content of an owner. */
export interface ContentId {
  readonly owner: number
  readonly number: number
}

/** Content to create. */
export interface CreateParams {
  readonly owner: number
  readonly content: string
}

/** A message to send. */
export interface SendParams extends CreateParams {
  readonly sender: number
}

/** Content of one owner, by its numbers. */
export interface Picked {
  readonly owner: number
  readonly numbers: readonly number[]
}

/** Content to update in one transaction. */
export interface UpdateParams extends Picked {
  readonly content: string
}

/** The number of content that was created. */
export interface Created extends Answer {
  readonly number: number
}

/** Content that was found. */
export interface Found extends Answer {
  readonly found: readonly ContentId[]
}

/** How much of the content was there to update. */
export interface Updated extends Answer {
  readonly updated: number
}

/** An interaction: its parameters and its answer. */
export interface Calling<P, A extends Answer> {
  readonly params: P
  readonly answer: A
}

type Content = 'ITEM' | 'SHARED' | 'POST'
type ListOfOwner = `LIST_${Content | 'MY_POST' | 'SUBMISSION_TO_ME' | 'SUBMISSION_BY_RECEIVER'}`

/** The 19 interactions of the benchmark Micro. */
export type MicroCalls = Readonly<
  Record<`CREATE_${Content}`, Calling<CreateParams, Created>> &
    Record<'CREATE_SUBMISSION', Calling<SendParams, Created>> &
    Record<`GET_${Content | 'MY_POST'}`, Calling<ContentId, Found>> &
    Record<ListOfOwner, Calling<{ readonly owner: number }, Found>> &
    Record<'LIST_SUBMISSION_BY_ME', Calling<{ readonly sender: number }, Found>> &
    Record<`UPDATE_${Content | 'SUBMISSION'}`, Calling<UpdateParams, Updated>>
>

/** The result mode of reads and updates that find nothing. */
export const emptyResult = 'EMPTY_RESULT'

/** The kinds of content. */
export type ContentKind = 'Item' | 'Shared' | 'Post' | 'Submission'

/** The work of Micro on its data, by one way to it. */
export interface ContentAccess<Db> {
  /** Create content with a number that the database gives. Resolves to that number. */
  create(db: Db, kind: ContentKind, content: CreateParams | SendParams): Promise<number>
  /** Create contents of an owner in one transaction, with the numbers from `first` on. */
  fill(db: Db, kind: ContentKind, owner: number, contents: readonly string[], first: number): Promise<void>
  get(db: Db, kind: ContentKind, id: ContentId): Promise<Found['found']>
  /** The content of an owner, or of a sender. */
  list(db: Db, kind: ContentKind, by: 'owner' | 'sender', id: number): Promise<Found['found']>
  /** Read and write some content of one owner in one transaction. Resolves to how much was there. */
  update(db: Db, kind: ContentKind, params: UpdateParams): Promise<number>
}

/** The interactions of Micro by one way to its data. */
export function microExecutions<Db>(access: ContentAccess<Db>): Executions<Db, MicroCalls> {
  const create = (kind: ContentKind) => async (content: CreateParams | SendParams, db: Db) => ({
    number: await access.create(db, kind, content),
  })
  const get = (kind: ContentKind) => async (id: ContentId, db: Db) => answerOf(await access.get(db, kind, id))
  const list = (kind: ContentKind) => async (params: { readonly owner: number }, db: Db) =>
    answerOf(await access.list(db, kind, 'owner', params.owner))
  const update = (kind: ContentKind) => async (params: UpdateParams, db: Db) => {
    const updated = await access.update(db, kind, params)
    return { updated, mode: updated === 0 ? emptyResult : undefined }
  }
  return {
    CREATE_ITEM: create('Item'),
    GET_ITEM: get('Item'),
    LIST_ITEM: list('Item'),
    UPDATE_ITEM: update('Item'),
    CREATE_SHARED: create('Shared'),
    GET_SHARED: get('Shared'),
    LIST_SHARED: list('Shared'),
    UPDATE_SHARED: update('Shared'),
    CREATE_POST: create('Post'),
    GET_POST: get('Post'),
    GET_MY_POST: get('Post'),
    LIST_POST: list('Post'),
    LIST_MY_POST: list('Post'),
    UPDATE_POST: update('Post'),
    CREATE_SUBMISSION: create('Submission'),
    LIST_SUBMISSION_BY_ME: async ({ sender }, db) =>
      answerOf(await access.list(db, 'Submission', 'sender', sender)),
    LIST_SUBMISSION_TO_ME: list('Submission'),
    LIST_SUBMISSION_BY_RECEIVER: list('Submission'),
    UPDATE_SUBMISSION: update('Submission'),
  }
}

function answerOf(found: Found['found']): Found {
  return { found, mode: found.length === 0 ? emptyResult : undefined }
}
