import { type ErrorCode, isVersion, StoreError } from '@unikv/core'
import { errorCodes } from '@unikv/core/adapter'

/** A failure as RFC 9457 tells it, with what a `StoreError` knows. It holds no key, no value and no secret. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  /** The message of the error. */
  readonly detail: string
  readonly code: ErrorCode | 'NOT_FOUND' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'BAD_REQUEST'
  readonly retryable: boolean
  /** The version found for `CONDITION_FAILED`, and the one that the write would leave for `OUTCOME_UNKNOWN`. */
  readonly version?: string | undefined
  readonly store?: string | undefined
}

/** The type of the body of a problem. */
export const problemType = 'application/problem+json'

const statuses: Readonly<Record<ErrorCode, number>> = {
  INVALID_ARGUMENT: 400,
  INVALID_KEY: 400,
  INVALID_VALUE: 400,
  KEY_TOO_LONG: 400,
  VALUE_TOO_LARGE: 413,
  CONDITION_FAILED: 412,
  // The store cannot do it, and no other request would change that.
  UNSUPPORTED: 501,
  INVALID_CONFIG: 500,
  NOT_PREPARED: 500,
  CORRUPT: 500,
  AUTHENTICATION_FAILED: 500,
  UNKNOWN_KEY_ID: 500,
  PARTIAL: 500,
  OUTCOME_UNKNOWN: 500,
  ACCESS_DENIED: 502,
  ABORTED: 503,
  CLOSED: 503,
  UNAVAILABLE: 503,
  OVERLOADED: 503,
  TIMEOUT: 504,
  STORE_FULL: 507,
}

/** The page that explains the codes of errors. */
const pageOfErrors = 'https://github.com/unikv/unikv/blob/main/docs/reference/errors.md'

/** The problem that tells an error. */
export function problemOf({ code, message, retryable, version, store }: StoreError): Problem {
  const type = `${pageOfErrors}#${code.toLowerCase()}`
  return {
    type,
    title: titleOf(code),
    status: statuses[code],
    detail: message,
    code,
    retryable,
    version,
    store,
  }
}

/** A refusal of the server itself, before a store was asked. */
export function refusal(status: number, code: Exclude<Problem['code'], ErrorCode>, detail: string): Problem {
  const title = titleOf(code)
  return { type: 'about:blank', title, status, detail, code, retryable: code === 'TOO_MANY_REQUESTS' }
}

/** The error that a problem tells, for a client; `undefined` if this is none of a store. */
export function errorIn(body: unknown): StoreError | undefined {
  const { code, detail, retryable, version } = Object(body) as Partial<Problem>
  if (typeof detail !== 'string' || !errorCodes.includes(code as ErrorCode)) return undefined
  return new StoreError(code as ErrorCode, saidIn(detail), {
    retryable: retryable === true,
    version: isVersion(version) ? version : undefined,
  })
}

/** A sentence of another process: its beginning, without what would move the cursor of a terminal or begin a line of a log. */
export function saidIn(detail: string): string {
  return detail.slice(0, 500).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
}

/** `CONDITION_FAILED` is *Condition failed*. */
function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
