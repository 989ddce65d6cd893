import type { Answer } from '../model/interaction.ts'

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

/** Content that was found. */
export interface Found extends Answer {
  readonly found: readonly { readonly owner: number; readonly number: number }[]
}

interface CreateCall {
  readonly params: CreateParams
  readonly answer: Answer & { readonly number: number }
}

interface SendCall {
  readonly params: SendParams
  readonly answer: Answer & { readonly number: number }
}

interface GetCall {
  readonly params: { readonly owner: number; readonly number: number }
  readonly answer: Found
}

interface ListCall {
  readonly params: { readonly owner: number }
  readonly answer: Found
}

interface ListSentCall {
  readonly params: { readonly sender: number }
  readonly answer: Found
}

interface UpdateCall {
  readonly params: UpdateParams
  /** How many of them were there. */
  readonly answer: Answer & { readonly updated: number }
}

/** The 19 interactions of the benchmark Micro. */
export interface MicroCalls {
  readonly CREATE_ITEM: CreateCall
  readonly GET_ITEM: GetCall
  readonly LIST_ITEM: ListCall
  readonly UPDATE_ITEM: UpdateCall
  readonly CREATE_SHARED: CreateCall
  readonly GET_SHARED: GetCall
  readonly LIST_SHARED: ListCall
  readonly UPDATE_SHARED: UpdateCall
  readonly CREATE_POST: CreateCall
  readonly GET_POST: GetCall
  readonly GET_MY_POST: GetCall
  readonly LIST_POST: ListCall
  readonly LIST_MY_POST: ListCall
  readonly UPDATE_POST: UpdateCall
  readonly CREATE_SUBMISSION: SendCall
  readonly LIST_SUBMISSION_BY_ME: ListSentCall
  readonly LIST_SUBMISSION_TO_ME: ListCall
  readonly LIST_SUBMISSION_BY_RECEIVER: ListCall
  readonly UPDATE_SUBMISSION: UpdateCall
}

/** The result mode of reads and updates that find nothing. */
export const emptyResult = 'EMPTY_RESULT'
