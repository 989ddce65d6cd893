import { isStoreError } from './errors.ts'
import type { ConditionFailed, Entry, NotModified, ReadResult, WriteResult, Written } from './store.ts'

/** Whether a read found a live record and brought its value. */
export function isEntry<V>(result: ReadResult<V>): result is Entry<V> {
  return result !== undefined && 'value' in result
}

/** Whether a read found a live record without bringing its value. */
export function isNotModified(result: ReadResult<unknown>): result is NotModified {
  return result !== undefined && 'notModified' in result
}

/** Whether a mutation was refused by its condition. */
export function isConditionFailed(result: WriteResult): result is ConditionFailed {
  return 'conditionFailed' in result
}

/** Whether a mutation took effect. */
export function isWritten(result: WriteResult): result is Written {
  return !('conditionFailed' in result) && !isStoreError(result)
}

/** Whether a record that expires then is still alive at `now` (both wall-clock milliseconds). */
export function isLive(expiresAt: number | undefined, now: number): boolean {
  return expiresAt === undefined || expiresAt > now
}
