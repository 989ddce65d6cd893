import { nextTurn, pause, performance, setImmediate, wallClock, watchLost } from '@unikv/core/platform'

/** Where a loop gets its time from. Tests put a virtual one in its place. */
export interface LoopClock {
  /** Monotonic time in milliseconds, with fractions. */
  now(): number
  /** Wall-clock time in milliseconds, to notice that the machine slept or its clock was set. */
  wallNow(): number
  /** Let other work happen; return at `untilMs` or earlier, never much later. `Infinity`: as soon as possible. */
  wait(untilMs: number): Promise<unknown>
  /**
   * Count the time in which this process does not run. Returns what ends that and tells how many milliseconds it was.
   * Absent: pauses are not noticed.
   */
  watchLost?(): () => number
}

/**
 * Turns of the event loop without a pause: lag of microseconds at the price of a whole core. To be used in a
 * worker thread of its own, since a pacer must not share a thread with a client that needs the CPU.
 */
export const spinningClock: LoopClock = {
  now: () => performance.now(),
  wallNow: () => wallClock(),
  watchLost,
  wait: () => nextTurn(),
}

/** Timers: some per cent of a core, and a lag of about a millisecond. For rates and stores where that is small. */
export const timerClock: LoopClock = {
  now: () => performance.now(),
  wallNow: () => wallClock(),
  watchLost,
  wait: (untilMs) =>
    untilMs === Number.POSITIVE_INFINITY ? nextTurn() : pause(Math.max(1, untilMs - performance.now())),
}

/** A timer may ring so much too late. */
const TIMER_LAG_MS = 2

/**
 * Timers while the next operation is far, turns of the event loop when it is near: lag of microseconds, and a whole
 * core only at rates above some hundred a second.
 */
export const preciseClock: LoopClock = {
  now: () => performance.now(),
  wallNow: () => wallClock(),
  watchLost,
  wait: (untilMs) => {
    const restMs = untilMs - performance.now() - TIMER_LAG_MS
    return restMs >= 1 && restMs !== Infinity ? pause(restMs) : nextTurn()
  },
}

/** Time that passes only when nothing else is left to do, for tests of what measures. */
export class VirtualClock implements LoopClock {
  #now = 0
  #sleepers: { readonly at: number; readonly wake: () => void }[] = []
  #ticking = false
  /** How much the wall clock is ahead. */
  wallOffsetMs: number = 0

  now(): number {
    return this.#now
  }

  wallNow(): number {
    return this.#now + this.wallOffsetMs
  }

  /** A store that is busy: time passes, nothing else happens. */
  pass(ms: number): void {
    this.#now += ms
  }

  /** Resolves when so much time has passed. */
  sleep(ms: number): Promise<void> {
    return this.#sleepUntil(this.#now + ms)
  }

  wait(untilMs: number): Promise<void> {
    return this.#sleepUntil(untilMs === Infinity ? this.#now : untilMs)
  }

  #sleepUntil(at: number): Promise<void> {
    return new Promise((wake) => {
      this.#sleepers.push({ at, wake })
      if (!this.#ticking) void this.#tick()
    })
  }

  async #tick(): Promise<void> {
    this.#ticking = true
    while (this.#sleepers.length > 0) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      const at = Math.min(...this.#sleepers.map((sleeper) => sleeper.at))
      this.#now = Math.max(this.#now, at)
      const due = this.#sleepers.filter((sleeper) => sleeper.at <= this.#now)
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.at > this.#now)
      for (const { wake } of due) wake()
    }
    this.#ticking = false
  }
}
