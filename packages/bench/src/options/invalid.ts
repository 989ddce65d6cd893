import { StoreError } from '@unikv/core'

/** The error for something that a user gave and that cannot be used. */
export function invalidArgument(message: string, cause?: unknown): StoreError {
  return new StoreError('INVALID_ARGUMENT', message, cause === undefined ? undefined : { cause })
}
