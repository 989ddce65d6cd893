/*
 * Adaptive windowing, after A. Bifet and R. Gavaldà, "Learning from time-changing data with adaptive windowing" (SDM 2007).
 *
 * The window lies in buckets: row i has buckets of 2^i values, the oldest first, at most `mostInRow` of them; where there are
 * more, the two oldest become one of the next row. So a window of n values takes some 5 · log2(n) numbers.
 */

/** Most buckets of a row. */
const mostInRow = 5
/** Cuts are looked for every so many values. */
const clock = 32
/** Neither side of a cut is shorter. */
const shortest = 5
/** Windows up to this length are not cut. */
const grace = 10

/** The sum of its values, and that of their squared differences from their mean. */
interface Bucket {
  readonly total: number
  readonly spread: number
}

/** State of a window, from which it can be made again. */
export interface AdwinState {
  readonly seen: number
  readonly spread: number
  /** The totals and spreads of the buckets in each row. */
  readonly rows: readonly (readonly (readonly [total: number, spread: number])[])[]
}

/** A window over the newest values that drops the oldest ones when their mean has changed. */
export class Adwin {
  readonly #delta: number
  /** From the smallest buckets to the largest. */
  #rows: Bucket[][] = [[]]
  #width = 0
  #total = 0
  #spread = 0
  #seen = 0

  /** @param delta how often a change is told where there is none, above 0 and below 1 */
  constructor(delta = 0.002, state?: AdwinState) {
    this.#delta = delta
    if (state === undefined) return
    this.#seen = state.seen
    this.#spread = state.spread
    this.#rows = state.rows.map((row) => row.map(([total, spread]) => ({ total, spread })))
    for (const [at, row] of this.#rows.entries())
      for (const { total } of row) {
        this.#width += 2 ** at
        this.#total += total
      }
  }

  get state(): AdwinState {
    const rows = this.#rows.map((row) => row.map(({ total, spread }) => [total, spread] as const))
    return { seen: this.#seen, spread: this.#spread, rows }
  }

  /** Values in the window. */
  get width(): number {
    return this.#width
  }

  /** Their mean; 0 of none. */
  get mean(): number {
    return this.#width === 0 ? 0 : this.#total / this.#width
  }

  /** Take a value from 0 to 1. Returns whether the mean has changed: then older values are gone. */
  add(value: number): boolean {
    this.#insert(value)
    this.#seen += 1
    if (this.#seen % clock !== 0 || this.#width <= grace) return false
    let isChanged = false
    while (this.#width > grace && this.#hasCut()) {
      isChanged = true
      this.#dropOldest()
    }
    return isChanged
  }

  #insert(value: number): void {
    if (this.#width > 0) this.#spread += (this.#width * (value - this.mean) ** 2) / (this.#width + 1)
    this.#width += 1
    this.#total += value
    this.#rows[0]?.push({ total: value, spread: 0 })
    for (let at = 0; (this.#rows[at]?.length ?? 0) > mostInRow; at += 1) this.#merge(at)
  }

  /** Make one bucket of the next row of the two oldest of this one. */
  #merge(at: number): void {
    const [one, other] = (this.#rows[at] as Bucket[]).splice(0, 2) as [Bucket, Bucket]
    const size = 2 ** at
    const between = ((one.total - other.total) / size) ** 2 * (size / 2)
    const merged = { total: one.total + other.total, spread: one.spread + other.spread + between }
    const next = this.#rows[at + 1]
    if (next === undefined) this.#rows.push([merged])
    else next.push(merged)
  }

  /** Whether the older and the newer part of the window differ at some border between buckets. */
  #hasCut(): boolean {
    const logarithm = Math.log((2 * Math.log(this.#width)) / this.#delta)
    const variance = this.#spread / this.#width
    let [older, total] = [0, 0]
    for (let at = this.#rows.length - 1; at >= 0; at -= 1) {
      const row = this.#rows[at] as Bucket[]
      for (const bucket of row) {
        older += 2 ** at
        total += bucket.total
        const newer = this.#width - older
        if (newer < shortest) return false
        if (older < shortest) continue
        const difference = Math.abs(total / older - (this.#total - total) / newer)
        const inverse = 1 / (older - shortest + 1) + 1 / (newer - shortest + 1)
        const bound = Math.sqrt(2 * inverse * variance * logarithm) + (2 / 3) * inverse * logarithm
        if (difference > bound) return true
      }
    }
    return false
  }

  #dropOldest(): void {
    const at = this.#rows.length - 1
    const { total, spread } = (this.#rows[at] as Bucket[]).shift() as Bucket
    const size = 2 ** at
    const left = this.#width - size
    const leftMean = left === 0 ? 0 : (this.#total - total) / left
    this.#spread -= spread + ((size * left) / this.#width) * (total / size - leftMean) ** 2
    this.#spread = Math.max(0, this.#spread)
    this.#width = left
    this.#total -= total
    while (this.#rows.length > 1 && this.#rows.at(-1)?.length === 0) this.#rows.pop()
  }
}
