import type { CallOptions } from '@unikv/core'
import { leftMs } from '@unikv/core/adapter'

/** A share of less than this is no measure of the cache store, in milliseconds. */
const hurryMs = 100

/**
 * How long one call waits for the cache store, which may hang: `timeoutMs` for a step, and half of what the call has left, so
 * that the store itself can still be asked. The own deadline of a call in a hurry ends it, and no failure of the cache store
 * is made of its haste. After a step that was not answered in time it waits no more.
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
    return this.#isSpent
  }

  /** How long the next step may be waited for. */
  within(timeoutMs: number): number {
    return this.#isSpent ? 0 : Math.min(timeoutMs, this.#shareMs)
  }

  /** A step was not answered in time. */
  spend(): void {
    this.#isSpent = true
  }

  get #shareMs(): number {
    if (this.#call === undefined) return Number.POSITIVE_INFINITY
    const half = leftMs(this.#call) / 2
    return half < hurryMs ? Number.POSITIVE_INFINITY : half
  }
}
