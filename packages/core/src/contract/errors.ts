/** The kind of failure, for programs to act upon. Each has a heading in `docs/reference/errors.md`. */
export const errorCodes = [
  'INVALID_ARGUMENT',
  'INVALID_KEY',
  'INVALID_VALUE',
  'INVALID_CONFIG',
  'KEY_TOO_LONG',
  'VALUE_TOO_LARGE',
  'UNSUPPORTED',
  'CONDITION_FAILED',
  'PARTIAL',
  'TIMEOUT',
  'ABORTED',
  'CLOSED',
  'UNAVAILABLE',
  'OVERLOADED',
  'STORE_FULL',
  'ACCESS_DENIED',
  'NOT_PREPARED',
  'OUTCOME_UNKNOWN',
  'CORRUPT',
  'AUTHENTICATION_FAILED',
  'UNKNOWN_KEY_ID',
] as const

/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number]

/** Codes after which the same call may succeed without a change. */
const retryableCodes: ReadonlySet<ErrorCode> = new Set(['TIMEOUT', 'UNAVAILABLE', 'OVERLOADED'])

const brand = Symbol.for('@unikv/core/StoreError')

/** One issue of a schema with a value, as Standard Schema has it. Its message and its path may hold parts of the value. */
export interface ErrorIssue {
  readonly message: string
  readonly path: readonly PropertyKey[]
}

/** Where an error happened, and what else is known. */
export interface StoreErrorOptions {
  /** The client's own error. */
  readonly cause?: unknown
  /** `get`, `set`, `read`, … */
  readonly operation?: string | undefined
  /** Name of the store. */
  readonly store?: string | undefined
  readonly key?: string | undefined
  /** For `PARTIAL`: all results, aligned with what was asked. */
  readonly results?: readonly unknown[] | undefined
  /** For `INVALID_VALUE` and `CORRUPT` of a codec: where in the value the trouble is. */
  readonly path?: readonly PropertyKey[] | undefined
  /** For a value that a schema rejects: what the schema said. */
  readonly issues?: readonly ErrorIssue[] | undefined
  /** The number of records that a call of several steps is known to have changed before it ended early. */
  readonly done?: number | undefined
  /** For `CONDITION_FAILED`: the version found, if known. For `OUTCOME_UNKNOWN`: the version that the attempt would leave. */
  readonly version?: string | undefined
  /** @default by code: `TIMEOUT`, `UNAVAILABLE` and `OVERLOADED` are */
  readonly retryable?: boolean | undefined
}

/**
 * The one error of this library. The message says what was wrong and what to do; it never holds a key, a value
 * or a secret, and `key`, `path`, `issues`, `results` and `cause` are not enumerable, so that logs do not either.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  // Declared, and assigned once: a field would be defined first.
  declare readonly code: ErrorCode
  declare readonly operation: string | undefined
  declare readonly store: string | undefined
  declare readonly retryable: boolean
  /**
   * For `CONDITION_FAILED` the version found, if known. For `OUTCOME_UNKNOWN` of one key the version that the attempt
   * leaves behind: a record that has it tells that the write took effect.
   */
  declare readonly version: string | undefined
  /** The number of records that a call of several steps, such as `clear`, is known to have changed before it ended early. */
  declare readonly done: number | undefined
  declare readonly key: string | undefined
  /** Where in the value the trouble is, if a codec knows: names of properties, which may be data, and numbers of elements. */
  declare readonly path: readonly PropertyKey[] | undefined
  /** All issues of a schema that rejects the value. They may quote the value, so they are not for logs. */
  declare readonly issues: readonly ErrorIssue[] | undefined
  declare readonly results: readonly unknown[] | undefined

  constructor(code: ErrorCode, message: string, options: StoreErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.operation = options.operation
    this.store = options.store
    this.retryable = options.retryable ?? retryableCodes.has(code)
    this.version = options.version
    this.done = options.done
    hide(this, 'key', options.key)
    hide(this, 'results', options.results)
    if (options.path !== undefined) hide(this, 'path', options.path)
    if (options.issues !== undefined) hide(this, 'issues', options.issues)
  }
}

// Outside the class: a computed member would not be nameable in the declarations.
Object.defineProperty(StoreError.prototype, brand, { value: true })

/** Whether a value is a `StoreError`, also of another copy of this package. */
export function isStoreError(value: unknown): value is StoreError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true
}

/** The error as a `StoreError` that knows operation, store and key; one that knows them already is kept. */
export function toStoreError(
  error: unknown,
  where: StoreErrorOptions & { readonly code?: ErrorCode },
): StoreError {
  if (!isStoreError(error)) {
    const code = where.code ?? 'UNAVAILABLE'
    return toStoreError(new StoreError(code, unexpected(code), { cause: error }), where)
  }
  if (error.operation !== undefined && error.store !== undefined) return error
  const located = new StoreError(error.code, error.message, {
    ...('cause' in error ? { cause: error.cause } : {}),
    operation: error.operation ?? where.operation,
    store: error.store ?? where.store,
    key: error.key ?? where.key,
    results: error.results,
    path: error.path,
    issues: error.issues,
    done: error.done,
    version: error.version ?? (error.code === 'OUTCOME_UNKNOWN' ? where.version : undefined),
    retryable: error.retryable,
  })
  hide(located, 'stack', error.stack)
  return located
}

function unexpected(code: ErrorCode): string {
  const cause = 'The cause holds the client error.'
  if (code !== 'OUTCOME_UNKNOWN') return `The store failed. ${cause}`
  return `The store failed after the write was sent; it may or may not have taken effect. ${cause}`
}

function hide(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true })
}
