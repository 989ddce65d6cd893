import { type Entry, isStoreError, type ReadResult, type WriteResult } from '@unikv/core'
import type { Ending } from './telemetry.ts'

/** How the call ends that was answered by an error. */
export function endingByError(error: unknown): Ending {
  return { failed: 1, code: isStoreError(error) ? error.code : undefined }
}

/** How the call ends with these results. Some items of a batch may fail alone. */
export function endingOf(results: readonly (ReadResult<unknown> | WriteResult)[]): Ending {
  const errors = results.filter(isStoreError)
  const code = errors.length < results.length ? 'PARTIAL' : errors[0]?.code
  return { failed: errors.length, code }
}

/** The same for reads, which caches may have answered. */
export function endingOfReads(results: readonly ReadResult<unknown>[]): Ending {
  let hits = 0
  for (const result of results) if ((result as Entry<unknown> | undefined)?.meta?.tier !== undefined) hits++
  return { ...endingOf(results), facts: { 'unikv.cache.hits': hits } }
}
