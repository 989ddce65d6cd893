import type { CallOptions } from '@unikv/core'
import { leftMs } from '@unikv/core/adapter'

/** So long a cache store may take that works, in milliseconds. */
const hurryMs = 250

/**
 * How long one call waits for the cache store, which may hang: `timeoutMs` for a step, and half of what the call has left, so
 * that the store itself can still be asked. A call in a hurry waits for as long as it has: its haste is no failure of the
 * cache store. After a step that was not answered in time it waits no more.
 */
export class TierWait {
  readonly #call: CallOptions | undefined
  #isSpent = false

  /** Without a call only `timeoutMs` counts. */
  constructor(call?: CallOptions) {
    this.#call = call
  }

  /** Whether there is nothing left to wait. */
  get isSpent(): boolean {
    return this.#isSpent || this.#shareMs <= 0
  }

  /** How long the next step may be waited for. */
  within(timeoutMs: number): number {
    return this.#isSpent ? 0 : Math.max(0, Math.min(timeoutMs, this.#shareMs))
  }

  /** A step was not answered in time. */
  spend(): void {
    this.#isSpent = true
  }

  get #shareMs(): number {
    if (this.#call === undefined) return Number.POSITIVE_INFINITY
    const left = leftMs(this.#call)
    return Math.max(left / 2, Math.min(left, hurryMs))
  }
}
