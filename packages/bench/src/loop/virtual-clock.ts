import { setImmediate } from '@unikv/core/platform'
import type { LoopClock } from './clock.ts'

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
