import type { Entry } from '@unikv/core'
import type { Kept } from '../object/kept.ts'
import type { Touched } from './touched.ts'

/** What a cache in this process shows to whoever saves it and loads it back. */
export interface WarmCache {
  /** Monotonic, in milliseconds. */
  readonly monotonicClock: () => number
  /** Wall clock in milliseconds. */
  readonly clock: () => number
  readonly freshForMs: number
  readonly maxEntries: number
  readonly maxBytes: number
  /** Entries now, from who would make room last to who would first. */
  hottest(): readonly Kept[]
  /** Whether this entry is still there. */
  isKept(kept: Kept): boolean
  /** An entry as it would be kept, if it can be and is of any use. */
  asKept(key: string, entry: Entry<unknown>, freshUntil: number, cost: number): Kept | undefined
  /** Note from now on of which keys something is heard. */
  startRestore(): Touched
  /** Keep an entry, if nothing was heard of its key since `startRestore` and there is room. Whether it is kept. */
  restore(kept: Kept): boolean
  /** Nothing is restored any more. */
  endRestore(): void
}
