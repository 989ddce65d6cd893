import type { CacheRecord } from './cache-record.ts'
import type { Seen } from './seen.ts'
import { type Slot, untouched } from './slot.ts'

/**
 * A slot as its tags say: a record that was loaded before one of them was invalidated counts as absent. The lease of a
 * process that replaces it stays. `seen` is `undefined` if the tags are unknown; then the record is not used.
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

/** The part of a record that remains if its tags cannot be read. */
export function bare({ hold }: CacheRecord): CacheRecord | undefined {
  return hold && { entry: undefined, freshUntil: 0, hold }
}
