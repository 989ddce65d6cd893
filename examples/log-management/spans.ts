// For stores that do not find logs by their time.
import type { Log } from './log.ts'

/** The logs from one time up to another in the order of time. */
export function spanOf(logs: readonly Log[], from: string, to: string): readonly Log[] {
  return logs.filter(({ at }) => at >= from && at < to).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The beginning of all ids from one time up to another. */
export function sharedStart(from: string, to: string): string {
  const last = new Date(Date.parse(to) - 1).toISOString()
  let end = 0
  while (end < from.length && from[end] === last[end]) end++
  return from.slice(0, end)
}
