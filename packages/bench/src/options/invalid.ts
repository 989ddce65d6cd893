import { StoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'

/** The error for something that a user gave and that cannot be used. */
export function invalidArgument(message: string, cause?: unknown): StoreError {
  return new StoreError('INVALID_ARGUMENT', message, cause === undefined ? undefined : { cause })
}

/** The words of an error, or of any other thing that was thrown. */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error)
}
