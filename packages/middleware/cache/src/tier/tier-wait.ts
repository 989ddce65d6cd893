import type { CallOptions } from '@unikv/core'
import { leftMs } from '@unikv/core/adapter'

/** A call that begins with less than this has no half to give, in milliseconds. */
const hurryMs = 200

/**
 * How long one call waits for the cache store, which may hang: `timeoutMs` for a step, and half of what the call has left, so
 * that the store itself can still be asked. A call in a hurry is ended by its own deadline alone: its haste is not a failure of
 * the cache store. After a step that was not answered in time it waits no more.
 */
export class TierWait {
  /** `undefined`: only `timeoutMs` counts. */
  readonly #call: CallOptions | undefined
  #isSpent = false

  /** Make it when the call begins; without a call only `timeoutMs` counts. */
  constructor(call?: CallOptions) {
    this.#call = call === undefined || leftMs(call) < hurryMs ? undefined : call
  }

  /** Whether there is nothing left to wait. */
  get isSpent(): boolean {
    return this.#isSpent || this.#halfMs <= 0
  }

  /** How long the next step may be waited for. */
  within(timeoutMs: number): number {
    return this.#isSpent ? 0 : Math.max(0, Math.min(timeoutMs, this.#halfMs))
  }

  /** A step was not answered in time. */
  spend(): void {
    this.#isSpent = true
  }

  get #halfMs(): number {
    return this.#call === undefined ? Number.POSITIVE_INFINITY : leftMs(this.#call) / 2
  }
}
