/**
 * The calls that wait for their answer, and their deadlines, for the price of one timer: an array in which every
 * call knows its place, so that to come and to go costs nanoseconds and leaves nothing behind. (A `Set` of calls
 * that come and go is made anew every few of them, and its old tables keep the ended ones alive.)
 *
 * Its clock is logical and counts no more than five ticks of an event loop that was blocked. Whoever falls due by that goes
 * with the next tick: replies that wait in the socket are read before.
 */
export class Deadlines<W extends Waiting> {
  readonly #waiting: W[] = []
  #ticks = 0
  #lastTickAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Call `waiting.expire` in about `timeoutMs` (no millisecond earlier, at most 30 ms later unless the event loop was blocked) unless removed. */
  add(timeoutMs: number, waiting: W): void {
    // One tick more, as the next one may come late and the one after it in time.
    waiting.expiresAt = -Math.ceil(timeoutMs / tickMs) - 1
    waiting.place = this.#waiting.length
    this.#waiting.push(waiting)
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
    // One that goes on, not one for each tick: the next would be lost where tests have put theirs in its place.
    this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer.unref()
  }

  #tick(): void {
    const now = performance.now()
    const passed = Math.floor((now - this.#lastTickAt) / tickMs)
    if (passed === 0) return
    // Time goes back when tests put another clock in the place of this one.
    this.#lastTickAt = passed < 0 ? now : this.#lastTickAt + passed * tickMs
    const due = this.#advance(passed < 0 ? 1 : passed)
    if (this.#waiting.length === 0) this.#stop()
    for (const waiting of due) waiting.expire()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Move the clock; who came since it last moved counts from now on. */
  #advance(passed: number): readonly W[] {
    const before = this.#ticks
    this.#ticks += Math.min(passed, mostTicks)
    // Two at once is how timers drift; more is a blocked event loop.
    const dueBy = passed > 2 ? before + 1 : this.#ticks
    const due: W[] = []
    for (const waiting of this.#waiting) {
      if (waiting.expiresAt < 0) waiting.expiresAt = this.#ticks - waiting.expiresAt
      else if (waiting.expiresAt <= dueBy) due.push(waiting)
    }
    for (const waiting of due) this.remove(waiting)
    return due.sort((a, b) => a.expiresAt - b.expiresAt)
  }
}

const tickMs = 10

/** What a blocked event loop counts for at the most, in ticks. */
const mostTicks = 5

/** One waiting call, with what `Deadlines` keeps of it. */
export interface Waiting {
  /** In ticks of the logical clock; below 0, ticks from its next one on. */
  expiresAt: number
  /** In the array of those who wait; -1 for one that does not. */
  place: number
  /** The deadline has come. */
  expire(): void
}
