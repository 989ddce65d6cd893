import { type Bytes, type Entry, isEntry, isNotModified, isStoreError, type ReadResult } from '@unikv/core'
import type { State } from './controlled-store.ts'

/** Whether a reader that asked at `startedAt` may be told this of the state by `now`. */
export function matches(state: State, result: ReadResult<Bytes>, startedAt: number, now: number): boolean {
  const { value, version, expiresAt } = state
  if (result === undefined) return value === undefined || (expiresAt !== undefined && expiresAt <= now)
  if (value === undefined || isStoreError(result)) return false
  const live = expiresAt === undefined || expiresAt > startedAt
  if (!live || result.version !== version || result.expiresAt !== expiresAt) return false
  return isNotModified(result) || Buffer.from(result.value).equals(value)
}

/** An answer or a state, for the report of a violation. */
export function describe(what: ReadResult<Bytes> | State | undefined): string {
  if (what === undefined) return 'absent'
  if (isStoreError(what)) return what.code
  if (isEntry(what as ReadResult<Bytes>)) {
    const { value, expiresAt } = what as Entry<Bytes>
    return `${value === undefined ? 'absent' : Buffer.from(value).toString()} until ${expiresAt}`
  }
  return `not modified`
}
