import { nextTurn, pause, performance, wallClock } from '@unikv/core/platform'

/** Where a loop gets its time from. Tests put a virtual one in its place. */
export interface LoopClock {
  /** Monotonic time in milliseconds, with fractions. */
  now(): number
  /** Wall-clock time in milliseconds, to notice that the machine slept or its clock was set. */
  wallNow(): number
  /** Let other work happen; return at `untilMs` or earlier, never much later. `Infinity`: as soon as possible. */
  wait(untilMs: number): Promise<unknown>
}

/**
 * Turns of the event loop without a pause: lag of microseconds at the price of a whole core. To be used in a
 * worker thread of its own, since a pacer must not share a thread with a client that needs the CPU.
 */
export const spinningClock: LoopClock = {
  now: () => performance.now(),
  wallNow: () => wallClock(),
  wait: () => nextTurn(),
}

/** Timers: some per cent of a core, and a lag of about a millisecond. For rates and stores where that is small. */
export const timerClock: LoopClock = {
  now: () => performance.now(),
  wallNow: () => wallClock(),
  wait: (untilMs) =>
    untilMs === Number.POSITIVE_INFINITY ? nextTurn() : pause(Math.max(1, untilMs - performance.now())),
}
