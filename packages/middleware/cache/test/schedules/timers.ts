/** `setTimeout` under the schedule's control: nothing fires unless told. */
export interface Timers {
  /** Fire the timers of at most this delay, or all. */
  fire(upToMs: number): void
  restore(): void
}

interface Timer {
  readonly delayMs: number
  readonly run: () => void
  unref(): Timer
}

/** Put timers in the place of the global ones until restored. */
export function takeTimers(): Timers {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  const waiting = new Set<Timer>()
  const set = (run: () => void, delayMs = 0): Timer => {
    const timer: Timer = { delayMs, run, unref: () => timer }
    waiting.add(timer)
    return timer
  }
  Object.assign(globalThis, { setTimeout: set, clearTimeout: (timer: Timer) => waiting.delete(timer) })
  return {
    fire: (upToMs) => {
      for (const timer of Array.from(waiting)) {
        if (timer.delayMs > upToMs || !waiting.delete(timer)) continue
        timer.run()
      }
    },
    restore: () => void Object.assign(globalThis, real),
  }
}
