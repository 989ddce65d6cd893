import { StoreError } from '@unikv/core/adapter'

/** The error for bytes that this version cannot have written. */
export function corrupt(what: string): StoreError {
  return new StoreError(
    'CORRUPT',
    `The stored envelope ${what}. It was damaged, or written by a newer version.`,
  )
}
