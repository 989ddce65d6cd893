import type { LoopClock } from '../../loop/clock.ts'

/** A wait is cut into parts of so many milliseconds, so that the end of a run leaves no long timer behind. */
const longestWaitMs = 100

/** Things that are due at a time, by one timer for all of them. */
export class Agenda<T> {
  readonly #clock: LoopClock
  readonly #onDue: (item: T) => void
  /** The latest first. */
  readonly #items: { readonly at: number; readonly item: T }[] = []
  #ringsAt = Infinity
  #isClosed = false

  constructor(clock: LoopClock, onDue: (item: T) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** How many are not due yet. */
  get size(): number {
    return this.#items.length
  }

  /** Tell of the item at this time, or soon after it. */
  add(at: number, item: T): void {
    this.#items.splice(this.#placeOf(at), 0, { at, item })
    this.#arm()
  }

  /** Tell of nothing more. */
  close(): void {
    this.#isClosed = true
  }

  /** The place behind all that are due later; those of the same time keep their order. */
  #placeOf(at: number): number {
    let [from, to] = [0, this.#items.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#items[middle]?.at as number) > at) from = middle + 1
      else to = middle
    }
    return from
  }

  #arm(): void {
    const next = this.#items.at(-1)
    if (next === undefined || this.#isClosed) return
    const at = Math.min(next.at, this.#clock.now() + longestWaitMs)
    if (at >= this.#ringsAt) return
    this.#ringsAt = at
    void this.#clock.wait(at).then(() => this.#ring(at))
  }

  #ring(at: number): void {
    if (this.#ringsAt === at) this.#ringsAt = Infinity
    if (this.#isClosed) return
    const now = this.#clock.now()
    for (let next = this.#items.at(-1); next !== undefined && next.at <= now; next = this.#items.at(-1)) {
      this.#items.pop()
      this.#onDue(next.item)
    }
    this.#arm()
  }
}
