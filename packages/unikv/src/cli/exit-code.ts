import { type ErrorCode, isStoreError, type StoreError } from '@unikv/core'

/** Exit codes of the command line. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  wrongUse: 2,
  thresholdCrossed: 3,
  runInvalid: 4,
  interrupted: 130,
} as const

const wrongUse: ReadonlySet<ErrorCode> = new Set([
  'INVALID_ARGUMENT',
  'INVALID_CONFIG',
  'INVALID_KEY',
  'INVALID_VALUE',
  'UNSUPPORTED',
])

/** The exit code of an error: the command was wrong, a store did not return what was written, or it could not be done. */
export function exitCodeOf(error: unknown): number {
  if (!isStoreError(error)) return exitCodes.failure
  if (error.code === 'CORRUPT') return exitCodes.runInvalid
  return wrongUse.has(error.code) ? exitCodes.wrongUse : exitCodes.failure
}

const damages: ReadonlySet<ErrorCode> = new Set(['CORRUPT', 'AUTHENTICATION_FAILED', 'UNKNOWN_KEY_ID'])

/** Whether data cannot be opened, as they are damaged or sealed with another key. Other records are not concerned. */
export function isDamage(error: unknown): error is StoreError {
  return isStoreError(error) && damages.has(error.code)
}
