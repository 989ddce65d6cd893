import {
  type Bytes,
  type ErrorCode,
  isEntry,
  isStoreError,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type StoreError,
} from '@unikv/core'
import type { BatchSize } from '../kms/data-keys.ts'

/** The envelopes among results: of records whose value was asked for. */
export function envelopesOf(results: readonly ReadResult<Bytes>[], reads: readonly Read[]): readonly Bytes[] {
  return results.flatMap((result, i) => (isEntry(result) && reads[i]?.head !== true ? [result.value] : []))
}

/** The envelopes of a page. */
export function envelopesIn({ entries }: Pick<Page<Bytes>, 'entries'>): readonly Bytes[] {
  return entries.flatMap(({ entry }) => (isEntry(entry) ? [entry.value] : []))
}

/** Size of the values that a write is about to seal. A write that seals nothing needs no key. */
export function sizeOf(mutations: readonly Mutation<Bytes>[]): BatchSize {
  const sets = mutations.flatMap((mutation) => (mutation.type === 'set' ? [mutation.value] : []))
  return { messages: sets.length, bytes: sets.reduce((sum, { length }) => sum + (length || 0), 0) }
}

/** The answer, or its error as the result of this one record. */
export function attempt<T>(work: () => T): T | StoreError {
  try {
    return work()
  } catch (error) {
    if (isStoreError(error)) return error
    throw error
  }
}

const staying: ReadonlySet<ErrorCode> = new Set(['AUTHENTICATION_FAILED', 'CORRUPT', 'UNKNOWN_KEY_ID'])

/** Whether a record that did not open may open another time: it was the store, or a service, that failed. */
export function mayPass({ code }: StoreError): boolean {
  return !staying.has(code)
}
