import { lostMs, performance, setTimeout } from '@unikv/core/platform'
import type { LoadCall } from '../loads/load-call.ts'

const firstPauseMs = 5
export const longestPauseMs = 100

/**
 * Waiting for the holder of a lease: `leaseWaitMs` at most, and half of the time that the load has, as it must be able
 * to load for itself afterwards.
 */
export class LeaseWait {
  readonly #load: LoadCall
  readonly #startedAt = performance.now()
  readonly #lostBefore = lostMs()
  readonly #mayWaitMs: number
  #waitedMs = 0
  #pauseMs = firstPauseMs

  constructor(load: LoadCall, leaseWaitMs: number) {
    this.#load = load
    this.#mayWaitMs = Math.min(leaseWaitMs, (load.deadlineAt - this.#startedAt) / 2)
  }

  /** Wait a little; `false` if there is no time left, or no caller is waiting. */
  async pause(): Promise<boolean> {
    const waitedMs = Math.max(this.#waitedMs, this.#ranMs)
    if (this.#load.settled || waitedMs + this.#pauseMs > this.#mayWaitMs) return false
    const ms = this.#pauseMs * (0.5 + Math.random() / 2)
    this.#waitedMs += ms
    this.#pauseMs = Math.min(longestPauseMs, 2 * this.#pauseMs)
    await new Promise<void>((resolve) => void setTimeout(resolve, ms))
    return true
  }

  /** Time in which the process did not run does not count as waiting. */
  get #ranMs(): number {
    return performance.now() - this.#startedAt - (lostMs() - this.#lostBefore)
  }
}
