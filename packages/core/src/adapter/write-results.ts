import { isConditionFailed } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { WriteResult } from '../contract/store.ts'
import { isError } from '../platform/realms.ts'

/**
 * The results of a write of `count` mutations. Layers that continue after they have answered their caller need them well
 * formed: an error that a malformed answer causes there would reach no caller. An item without a result is
 * `OUTCOME_UNKNOWN`, as the store was asked. Well-formed answers are returned as they are.
 */
export function writeResults(answer: unknown, count: number, store: string): readonly WriteResult[] {
  const results: readonly unknown[] = Array.isArray(answer) ? answer : []
  if (results.length === count && results.every(isResult)) return results
  return Array.from({ length: count }, (_, i) => {
    const one = results[i]
    return isResult(one) ? one : unreadable(one, store)
  })
}

/**
 * Whether changes were made that are made together, or not at all, by their results.
 *
 * @throws {StoreError} the first one among the results
 */
export function wereMade(results: readonly WriteResult[]): boolean {
  const refused = results.find(isStoreError)
  if (refused !== undefined) throw refused
  return !results.some((result) => isConditionFailed(result))
}

function isResult(one: unknown): one is WriteResult {
  return typeof one === 'object' && one !== null && (isStoreError(one) || !isError(one))
}

function unreadable(one: unknown, store: string): StoreError {
  return new StoreError(
    'OUTCOME_UNKNOWN',
    `${store} answered a write without a result for each mutation. Its adapter must be mended.`,
    isError(one) ? { cause: one, store } : { store },
  )
}
