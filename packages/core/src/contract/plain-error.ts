import { type ErrorCode, isStoreError, StoreError } from './errors.ts'

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
  readonly path: readonly (string | number)[] | undefined
  readonly done: number | undefined
  readonly stack: string | undefined
  readonly cause: PlainCause | undefined
}

/** The cause of an error, as data. */
export type PlainCause =
  | { readonly error: PlainError }
  | {
      readonly name: string
      readonly message: string
      readonly stack: string | undefined
      readonly code: string | number | undefined
      readonly cause: PlainCause | undefined
    }

/** Tells a `PlainError` inside results from a value. */
export interface MarkedError {
  readonly '~error': PlainError
}

/** Causes of causes that cross: more say nothing new, and a chain may be a ring. */
const mostCauses = 8

/** Any error as data. An error that is not a `StoreError` is a failure of the module or of the store's client. */
export function toPlain(error: unknown, depth = 0): PlainError {
  const known = isStoreError(error) ? error : workerFailed(error)
  const { code, message, operation, store, retryable, version, key, results, path, done, stack, cause } =
    known
  return {
    code,
    message,
    operation,
    store,
    retryable,
    version,
    key,
    results: results?.map(mark),
    path: path?.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    done,
    stack,
    cause: causeOf(cause, depth),
  }
}

/** The error that `toPlain` took apart. */
export function fromPlain({ code, message, results, stack, cause, ...context }: PlainError): StoreError {
  const error = new StoreError(code, message, {
    ...context,
    ...(cause === undefined ? {} : { cause: toCause(cause) }),
    results: results?.map(unmark),
  })
  return withStack(error, stack)
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

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' && message !== '' ? message : String(error)
}

function workerFailed(cause: unknown): StoreError {
  return new StoreError('UNAVAILABLE', `The worker failed: ${messageOf(cause)}`, { cause })
}

function causeOf(cause: unknown, depth: number): PlainCause | undefined {
  if (cause === undefined || depth === mostCauses) return undefined
  if (isStoreError(cause)) return { error: toPlain(cause, depth + 1) }
  const { name, stack, code, cause: inner } = Object(cause) as Partial<Record<string, unknown>>
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: messageOf(cause),
    stack: typeof stack === 'string' ? stack : undefined,
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    cause: causeOf(inner, depth + 1),
  }
}

function toCause(plain: PlainCause): Error {
  if ('error' in plain) return fromPlain(plain.error)
  const { name, message, stack, code, cause } = plain
  const error = new Error(message, cause === undefined ? {} : { cause: toCause(cause) })
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  return withStack(code === undefined ? error : Object.assign(error, { code }), stack)
}

/** The stack of the thread that threw: it names the line to look at. */
function withStack<E extends Error>(error: E, stack: string | undefined): E {
  if (stack !== undefined)
    Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true })
  return error
}
