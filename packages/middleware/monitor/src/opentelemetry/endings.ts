import type { CallOptions, Entry, Read, ReadResult, WriteResult } from '@unikv/core'
import { absencesOf, isStoreError } from '@unikv/core/adapter'
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

/** The same for reads, which caches may have answered, also as absent. */
export function endingOfReads(
  results: readonly ReadResult<unknown>[],
  reads: readonly Read[],
  call: CallOptions,
): Ending {
  const absences = absencesOf(call)
  const isHit = (result: ReadResult<unknown>, i: number): boolean => {
    // An absence has no `meta` of its own.
    const meta =
      result === undefined ? absences?.get((reads[i] as Read).key) : (result as Entry<unknown>).meta
    return meta?.tier !== undefined
  }
  return { ...endingOf(results), facts: { 'unikv.cache.hits': results.filter(isHit).length } }
}
