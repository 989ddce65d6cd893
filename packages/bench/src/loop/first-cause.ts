import { isStoreError } from '@unikv/core'

/** Why the first item of a batch failed: the error of a batch only counts them. Other errors stay as they are. */
export function firstCause(error: unknown): unknown {
  const isBatch = isStoreError(error) && error.results !== undefined
  return isBatch && isStoreError(error.cause) ? error.cause : error
}
