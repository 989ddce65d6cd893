import type { CallOptions, Read } from '@unikv/core'
import { type CachedEntry, timed } from '../values/cached-entry.ts'
import { turnClock } from './turn-clock.ts'

/** A single read that a cache may answer. */
export function isSimple(reads: readonly Read[], call: CallOptions): boolean {
  return reads.length === 1 && call.consistency === undefined
}

/** Whether all readers of an entry get the same, now and until it ends. */
export function isPlain(kept: CachedEntry, read: Read): boolean {
  return (
    (kept.epoch === 0 || (kept.epoch === timed && kept.freshUntil > turnClock())) &&
    kept.copy === undefined &&
    read.head === undefined &&
    read.ifNotVersion === undefined
  )
}
