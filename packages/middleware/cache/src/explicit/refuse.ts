import { isStoreError, StoreError, type WriteResult } from '@unikv/core'

/**
 * Tells what the second tier did not take: other processes may be answered with the former values then.
 *
 * @throws {StoreError} its error, or `PARTIAL`
 */
export function refuse(results: readonly WriteResult[]): void {
  const errors = results.filter(isStoreError)
  const [error] = errors
  if (error === undefined) return
  if (errors.length === results.length) throw error
  const message = `The second tier confirmed ${results.length - errors.length} of ${results.length} keys; see error.results. Try again.`
  throw new StoreError('PARTIAL', message, { results, cause: error })
}
