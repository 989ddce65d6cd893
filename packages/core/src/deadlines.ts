/**
 * The calls that wait for their answer, and their deadlines, for the price of one timer: an array in which every
 * call knows its place, so that to come and to go costs nanoseconds and leaves nothing behind. (A `Set` of calls
 * that come and go is made anew every few of them, and its old tables keep the ended ones alive.)
 *
 * Its clock is logical and advances at most two ticks a tick: after an event loop that was blocked for longer
 * than the timeout, replies that wait in the socket are read before anything expires.
 */
export class Deadlines<W extends Waiting> {
  readonly #waiting: W[] = []
  #ticks = 0
  /** No deadline comes before this tick. */
  #earliest = Infinity
  #lastTickAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Call `waiting.expire` in about `timeoutMs` (no millisecond earlier, at most two ticks of 25 ms later unless the event loop was blocked) unless removed. */
  add(timeoutMs: number, waiting: W): void {
    // One tick more, as the current one may be about to end.
    const expiresAt = this.#ticks + Math.ceil(timeoutMs / tickMs) + 1
    waiting.expiresAt = expiresAt
    waiting.place = this.#waiting.length
    this.#waiting.push(waiting)
    if (expiresAt < this.#earliest) this.#earliest = expiresAt
    if (this.#timer === undefined) this.#start()
  }

  /** Forget one; the last takes its place. */
  remove(waiting: W): void {
    const { place } = waiting
    if (place < 0) return
    const last = this.#waiting.pop() as W
    if (last !== waiting) {
      this.#waiting[place] = last
      last.place = place
    }
    waiting.place = -1
  }

  /** All who wait now. */
  all(): readonly W[] {
    return this.#waiting.slice()
  }

  #start(): void {
    this.#lastTickAt = performance.now()
    this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer.unref()
  }

  #tick(): void {
    const now = performance.now()
    const passed = Math.floor((now - this.#lastTickAt) / tickMs)
    if (passed === 0) return
    this.#lastTickAt = passed > 2 ? now : this.#lastTickAt + passed * tickMs
    this.#ticks += Math.min(passed, 2)
    // Who came just before a late tick has not waited for two: those who are due by the second one go with the next.
    const dueBy = passed > 1 ? this.#ticks - 1 : this.#ticks
    if (this.#earliest <= dueBy) this.#expire(dueBy)
    if (this.#waiting.length === 0) this.#stop()
  }

  #expire(dueBy: number): void {
    const due = this.#waiting.filter(({ expiresAt }) => expiresAt <= dueBy)
    due.sort((a, b) => a.expiresAt - b.expiresAt)
    for (const waiting of due) this.remove(waiting)
    this.#earliest = this.#waiting.reduce((least, { expiresAt }) => Math.min(least, expiresAt), Infinity)
    for (const waiting of due) waiting.expire()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#earliest = Infinity
  }
}

const tickMs = 25

/** One waiting call, with what `Deadlines` keeps of it. */
export interface Waiting {
  /** In ticks of the logical clock. */
  expiresAt: number
  /** In the array of those who wait; -1 for one that does not. */
  place: number
  /** The deadline has come. */
  expire(): void
}
