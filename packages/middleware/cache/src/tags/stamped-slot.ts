import type { CacheRecord } from '../store/cache-record.ts'
import { type Slot, untouched } from '../store/slot.ts'
import type { Seen } from './seen.ts'

/**
 * A slot as its tags say: what was loaded before one of them was invalidated is no record. Who is about to replace it is
 * still there. `seen` `undefined`: nobody knows the tags, so it is not looked at.
 */
export function stamped(slot: Slot, seen: Seen | undefined): Slot {
  if (seen === undefined) return untouched
  const { record, unchanged } = slot
  const isGood = seen.missing.length === 0 && (record === undefined || record.stamp === seen.stamp)
  if (isGood) return { ...slot, seen }
  return unchanged === true
    ? { record: undefined, version: slot.version, seen }
    : { ...slot, record: record && bare(record), seen }
}

/** What is left of a record whose tags nobody can look at. */
export function bare({ hold }: CacheRecord): CacheRecord | undefined {
  return hold && { entry: undefined, freshUntil: 0, hold }
}
