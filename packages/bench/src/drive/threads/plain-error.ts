import { isStoreError, StoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import type { PlainError } from './messages.ts'

/** An error as data for another thread. */
export function plainError(error: unknown): PlainError {
  return {
    code: isStoreError(error) ? error.code : undefined,
    message: isError(error) ? error.message : String(error),
  }
}

/** The error that another thread sent. */
export function errorOf({ code, message }: PlainError): Error {
  return code === undefined ? new Error(message) : new StoreError(code, message)
}
