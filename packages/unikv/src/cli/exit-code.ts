import { type ErrorCode, isStoreError } from '@unikv/core'

/** Exit codes of the command line. */
export const exitCodes = { ok: 0, failure: 1, wrongUse: 2, interrupted: 130 } as const

const wrongUse: ReadonlySet<ErrorCode> = new Set(['INVALID_ARGUMENT', 'INVALID_CONFIG', 'UNSUPPORTED'])

/** The exit code of an error: whether the command was wrong, or could not be done. */
export function exitCodeOf(error: unknown): number {
  return isStoreError(error) && wrongUse.has(error.code) ? exitCodes.wrongUse : exitCodes.failure
}
