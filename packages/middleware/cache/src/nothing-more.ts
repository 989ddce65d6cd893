import { StoreError } from '@unikv/core'

/** @throws {StoreError} `INVALID_ARGUMENT` for options of a method that takes none: they would be ignored */
export function nothingMore(method: string, given: unknown): void {
  if (given === undefined) return
  throw new StoreError('INVALID_ARGUMENT', `${method}() of a cache takes no options. Leave them away.`)
}
