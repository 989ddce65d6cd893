import { StoreError } from '@unikv/core'

/** The error for what this version cannot have written. */
export function corrupt(what: string, cause?: unknown): StoreError {
  const message = `The record of the delta layer ${what}. It was damaged, or written without this layer or by a newer version.`
  return new StoreError('CORRUPT', message, cause === undefined ? {} : { cause })
}
