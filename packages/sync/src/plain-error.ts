import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'

/** A `StoreError` as data. */
export interface PlainError {
  readonly code: ErrorCode
  readonly message: string
  readonly operation: string | undefined
  readonly store: string | undefined
  readonly retryable: boolean
  readonly version: string | undefined
  readonly key: string | undefined
  readonly results: readonly unknown[] | undefined
}

/** Tells a `PlainError` inside results from a value. */
export interface MarkedError {
  readonly '~error': PlainError
}

/** Any error as data. What is no `StoreError` is a failure of the module or of the store's client. */
export function toPlain(error: unknown): PlainError {
  const known = isStoreError(error)
    ? error
    : new StoreError(
        'UNAVAILABLE',
        `The worker failed: ${error instanceof Error ? error.message : 'unknown'}`,
      )
  const { code, message, operation, store, retryable, version, key, results } = known
  return { code, message, operation, store, retryable, version, key, results: results?.map(mark) }
}

/** The error that `toPlain` took apart. */
export function fromPlain({ code, message, results, ...context }: PlainError): StoreError {
  return new StoreError(code, message, { ...context, results: results?.map(unmark) })
}

/** Errors inside a list of results as data. */
export function mark(result: unknown): unknown {
  return isStoreError(result) ? ({ '~error': toPlain(result) } satisfies MarkedError) : result
}

/** The list that `mark` took apart. */
export function unmark(result: unknown): unknown {
  return typeof result === 'object' && result !== null && '~error' in result
    ? fromPlain((result as MarkedError)['~error'])
    : result
}
