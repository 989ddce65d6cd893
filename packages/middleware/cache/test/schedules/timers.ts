/** `setTimeout` under the schedule's control: nothing fires unless told. */
export interface Timers {
  /** Fire the timers of at most this delay, or all. */
  fire(upToMs: number): void
  /** Fire all intervals once. */
  tick(): void
  restore(): void
}

interface Timer {
  readonly delayMs: number
  readonly run: () => void
  unref(): Timer
}

/** Put timers in the place of the global ones until restored. */
export function takeTimers(): Timers {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  const real = { setTimeout, clearTimeout, setInterval, clearInterval }
  const ticking = new Set<() => void>()
  const waiting = new Set<Timer>()
  const set = (run: () => void, delayMs = 0): Timer => {
    const timer: Timer = { delayMs, run, unref: () => timer }
    waiting.add(timer)
    return timer
  }
  const tick = (run: () => void) => {
    ticking.add(run)
    const timer = { run, unref: () => timer }
    return timer
  }
  Object.assign(globalThis, {
    setTimeout: set,
    clearTimeout: (timer: Timer) => waiting.delete(timer),
    setInterval: tick,
    clearInterval: ({ run }: { readonly run: () => void }) => ticking.delete(run),
  })
  return {
    fire: (upToMs) => {
      for (const timer of Array.from(waiting)) {
        if (timer.delayMs > upToMs || !waiting.delete(timer)) continue
        timer.run()
      }
    },
    tick: () => {
      for (const run of Array.from(ticking)) run()
    },
    restore: () => void Object.assign(globalThis, real),
  }
}
