import type { Entry } from '@unikv/core'
import type { CachedEntry } from '../values/cached-entry.ts'
import type { Touched } from './touched.ts'

/** The view of a cache in this process for saving it and loading it back. */
export interface WarmCache {
  /** Monotonic, in milliseconds. */
  readonly monotonicClock: () => number
  /** Wall clock in milliseconds. */
  readonly clock: () => number
  readonly freshForMs: number
  readonly maxEntries: number
  readonly maxBytes: number
  /** Entries now, from who would make room last to who would first. */
  hottest(): readonly CachedEntry[]
  /** Whether this entry is still there. */
  isKept(kept: CachedEntry): boolean
  /** An entry as it would be kept, if it can be and is of any use. */
  asCachedEntry(key: string, entry: Entry<unknown>, freshUntil: number, cost: number): CachedEntry | undefined
  /** Note from now on of which keys something is heard. */
  startRestore(): Touched
  /** Keep an entry, if nothing was heard of its key since `startRestore` and there is room. Whether it is kept. */
  restore(kept: CachedEntry): boolean
  /** Nothing is restored any more. */
  endRestore(): void
}
