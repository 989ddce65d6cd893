import { type HitRates, Rates } from './replay.ts'
import type { Trace } from './trace.ts'

/** One object in the cache, at the time at which it will be asked for next. */
interface Kept {
  readonly key: string
  readonly bytes: number
  readonly next: number
}

/** Chooses the entry that makes room in a cache that knows the future. */
interface Foresight {
  add(kept: Kept): void
  /** An entry that was added, or was added and has gone since. */
  take(now: number): Kept
}

/**
 * The answers of a cache that knows the future: the entry that will be asked for last makes room (Belady, 1966), and one
 * that would be the first to go is not even kept. The optimum for objects of one size. For others, the entry goes that takes
 * most bytes for the longest time, among 128 at random: the optimum is unknown, and no policy is known to come near this.
 */
export function belady(trace: Trace, capacity: number): HitRates {
  const { keys, sizes, isSized } = trace
  const nexts = nextUses(keys)
  const present = new Map<string, Kept>()
  const foresight: Foresight = isSized ? new LargestFarthest() : new FarthestFirst()
  const rates = new Rates()
  let held = 0
  for (let i = 0; i < keys.length; i++) {
    const kept: Kept = { key: keys[i] as string, bytes: sizes[i] as number, next: nexts[i] as number }
    const before = present.get(kept.key)
    rates.count(kept.bytes, before !== undefined)
    if (before !== undefined) held -= before.bytes
    present.delete(kept.key)
    if (kept.next === Number.POSITIVE_INFINITY || kept.bytes > capacity) continue
    present.set(kept.key, kept)
    foresight.add(kept)
    held += kept.bytes
    while (held > capacity) {
      const gone = foresight.take(i)
      // An entry that was asked for since was added a second time.
      if (present.get(gone.key) !== gone) continue
      present.delete(gone.key)
      held -= gone.bytes
    }
  }
  return rates
}

/** For each request, where its object is asked for again. */
function nextUses(keys: readonly string[]): Float64Array {
  const nexts = new Float64Array(keys.length)
  const seen = new Map<string, number>()
  for (let i = keys.length - 1; i >= 0; i--) {
    nexts[i] = seen.get(keys[i] as string) ?? Number.POSITIVE_INFINITY
    seen.set(keys[i] as string, i)
  }
  return nexts
}

/** A binary heap by the next use, the last first. */
class FarthestFirst implements Foresight {
  readonly #heap: Kept[] = []

  add(kept: Kept): void {
    let at = this.#heap.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const other = this.#heap[above] as Kept
      if (other.next >= kept.next) break
      this.#heap[at] = other
      at = above
    }
    this.#heap[at] = kept
  }

  take(): Kept {
    const [first] = this.#heap as [Kept]
    const last = this.#heap.pop() as Kept
    if (this.#heap.length > 0) this.#sink(last)
    return first
  }

  #sink(kept: Kept): void {
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      const [left, right] = [this.#heap[below], this.#heap[below + 1]]
      if (left === undefined) break
      if (right !== undefined && right.next > left.next) below++
      const larger = this.#heap[below] as Kept
      if (larger.next <= kept.next) break
      this.#heap[at] = larger
      at = below
    }
    this.#heap[at] = kept
  }
}

const candidates = 128

/** The largest product of bytes and time until the next use, among some at random. */
class LargestFarthest implements Foresight {
  readonly #all: Kept[] = []
  #seed = 1

  add(kept: Kept): void {
    this.#all.push(kept)
  }

  take(now: number): Kept {
    let chosen = 0
    let most = -1
    for (let n = 0; n < candidates; n++) {
      const at = this.#random()
      const { bytes, next } = this.#all[at] as Kept
      // Entries that were asked for since are cleared away first.
      const worth = next <= now ? Number.POSITIVE_INFINITY : bytes * (next - now)
      if (worth <= most) continue
      most = worth
      chosen = at
    }
    return this.#remove(chosen)
  }

  #remove(at: number): Kept {
    const kept = this.#all[at] as Kept
    const last = this.#all.pop() as Kept
    if (last !== kept) this.#all[at] = last
    return kept
  }

  /** The same from run to run. */
  #random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647
    return this.#seed % this.#all.length
  }
}
