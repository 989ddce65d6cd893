import { type Beating, type Heartbeat, heartbeat, tickMs } from './heartbeat.ts'

/**
 * The calls that wait for their answer, and their deadlines, for the price of one timer: an array in which every
 * call knows its place, so that to come and to go costs nanoseconds and leaves nothing behind. (A `Set` of calls
 * that come and go is made anew every few of them, and its old tables keep the ended ones alive.)
 *
 * Its clock counts the beats of the process, so that time in which the event loop was blocked counts next to nothing.
 * A late beat ends no call: replies that wait in the socket are read before.
 */
export class Deadlines<W extends Waiting> implements Beating {
  readonly #waiting: W[] = []
  readonly #heartbeat: Heartbeat
  #ticks = 0
  #beats = false

  constructor(beats: Heartbeat = heartbeat) {
    this.#heartbeat = beats
  }

  /** Call `waiting.expire` in about `timeoutMs` (no millisecond earlier, at most 30 ms later unless the event loop was blocked) unless removed. */
  add(timeoutMs: number, waiting: W): void {
    // One tick more, as the next one may come late and the one after it in time.
    waiting.expiresAt = -Math.ceil(timeoutMs / tickMs) - 1
    waiting.place = this.#waiting.length
    this.#waiting.push(waiting)
    if (!this.#beats) this.#start()
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

  /** For the heartbeat. */
  beat(ticks: number, isLate: boolean): void {
    const due = this.#advance(ticks, isLate)
    if (this.#waiting.length === 0) {
      this.#beats = false
      this.#heartbeat.leave(this)
    }
    for (const waiting of due) waiting.expire()
  }

  #start(): void {
    this.#beats = true
    this.#heartbeat.join(this)
  }

  /** Move the clock; who came since it last moved counts from now on. */
  #advance(passed: number, isLate: boolean): readonly W[] {
    const before = this.#ticks
    this.#ticks += passed
    // A timer that was due at an earlier beat was spared once; a loop that is always late must not spare it forever.
    const dueBy = isLate ? before : this.#ticks
    const due: W[] = []
    for (const waiting of this.#waiting) {
      if (waiting.expiresAt < 0) waiting.expiresAt = this.#ticks - waiting.expiresAt
      else if (waiting.expiresAt <= dueBy) due.push(waiting)
    }
    for (const waiting of due) this.remove(waiting)
    return due.sort((a, b) => a.expiresAt - b.expiresAt)
  }
}

/** One waiting call, with what `Deadlines` keeps of it. */
export interface Waiting {
  /** In ticks of the logical clock; below 0, ticks from its next one on. */
  expiresAt: number
  /** In the array of those who wait; -1 for one that does not. */
  place: number
  /** The deadline has come. */
  expire(): void
}
