import type { StoreError } from '@unikv/core'
import { unanswered } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { Document } from 'mongodb'

// Which replies to its commands the store understands. Everything else is an error: a proxy, a server that only looks like
// MongoDB, or one that lies must never make a miss or a success.

/** The cursor of an aggregation, and its first batch. */
export function batchOf(
  answer: Document,
  limit: number,
  where: string,
): Readonly<{ id: unknown; batch: Document[] }> {
  const { id, firstBatch } = (answer['cursor'] ?? {}) as {
    readonly id?: unknown
    readonly firstBatch?: unknown
  }
  const isBatch = Array.isArray(firstBatch) && firstBatch.length <= limit && firstBatch.every(isPlainObject)
  // An unfinished answer without a document would be asked for again forever.
  if (!isBatch || !isCursor(id) || (!isEnd(id) && firstBatch.length === 0)) throw odd(where, false)
  return { id, batch: firstBatch }
}

/** Whether nothing follows the first batch. */
export function isEnd(id: unknown): boolean {
  return String(id) === '0'
}

/** How many records the statements of a command met, and the errors of those that failed. */
export function countOf(answer: Document, least: number, most: number, where: string): Counted {
  const { n, writeErrors = [] } = answer
  const count = Number(n)
  const errors = Array.isArray(writeErrors) ? (writeErrors as readonly WriteError[]) : undefined
  const places = new Set(errors?.map(({ index }) => index))
  const isRight =
    errors?.every((error) => isWriteError(error, most)) === true &&
    places.size === errors.length &&
    Number.isSafeInteger(n) &&
    count + errors.length >= least &&
    count + errors.length <= most
  if (!isRight) throw odd(where, true)
  return { count, errors }
}

/** Outcome of the statements of one command. */
export interface Counted {
  readonly count: number
  readonly errors: readonly WriteError[]
}

/** The error of one statement that failed. */
export interface WriteError {
  readonly index: number
  readonly code: number
}

function isWriteError(error: unknown, count: number): boolean {
  const { index, code } = (error ?? {}) as Partial<WriteError>
  return (
    Number.isSafeInteger(index) &&
    (index as number) >= 0 &&
    (index as number) < count &&
    typeof code === 'number'
  )
}

/** The document after a change, `undefined` if there was none. */
export function changedOf(answer: Document, where: string): Document | undefined {
  const { value } = answer
  if (value === null) return undefined
  if (!isPlainObject(value) || typeof (value as Document)['version'] !== 'string') throw odd(where, true)
  return value
}

/** The error of a reply that does not fit the command: the outcome of a write is unknown. */
export function odd(where: string, isWrite: boolean): StoreError {
  const cause = new Error('The reply does not match this command. Check what answers at this address.')
  return unanswered(where, isWrite, cause)
}

function isCursor(id: unknown): boolean {
  return (
    typeof id === 'number' || typeof id === 'bigint' || (id as { _bsontype?: unknown })?._bsontype === 'Long'
  )
}
