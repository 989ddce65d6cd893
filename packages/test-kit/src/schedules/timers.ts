import { replaceTimers } from '@unikv/core/platform'

/** `setTimeout` of the library under the schedule's control: nothing fires unless told. */
export interface Timers {
  /** Fire the timers that were set before now with at most this delay in milliseconds; `Infinity` fires them all. */
  fire(upToMs: number): void
  /** How many wait that would keep a process alive. */
  readonly waiting: number
  /** Put the own ones of the library back. Waiting timers never fire. */
  restore(): void
}

interface Timer {
  readonly delayMs: number
  readonly run: () => void
  /** Whether it would keep a process alive. */
  readonly holds: boolean
  unref(): Timer
}

/** Put timers in the place of those of the library until restored. */
export function takeTimers(): Timers {
  const waiting = new Set<Timer>()
  const set = (run: () => void, delayMs = 0): Timer => {
    const timer: Timer = { delayMs, run, holds: true, unref: () => Object.assign(timer, { holds: false }) }
    waiting.add(timer)
    return timer
  }
  const restore = replaceTimers({
    setTimeout: (run, ms) => set(run, ms) as unknown as NodeJS.Timeout,
    clearTimeout: (timer) => void waiting.delete(timer as unknown as Timer),
  })
  return {
    get waiting() {
      return Array.from(waiting).filter(({ holds }) => holds).length
    },
    fire: (upToMs) => {
      for (const timer of Array.from(waiting)) {
        if (timer.delayMs > upToMs || !waiting.delete(timer)) continue
        timer.run()
      }
    },
    restore,
  }
}

/** Do this with timers in the place of the library's own, and put those back, however it ends. */
export async function withTimers<R>(work: (timers: Timers) => Promise<R>): Promise<R> {
  const timers = takeTimers()
  try {
    return await work(timers)
  } finally {
    timers.restore()
  }
}

/** Resolves when everything has run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
