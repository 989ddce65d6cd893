import { StoreError } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import type { EntityStatistics, RetryPolicy } from '@unikv/entity'

/** Runs transactions again that lost against others, and counts. */
export class Transactions {
  readonly #retry: RetryPolicy
  readonly #hasLost: (error: unknown) => boolean
  readonly #counts = { committed: 0, conflicts: 0, retries: 0, givenUp: 0, waitedMs: 0 }

  constructor(retry: RetryPolicy, hasLost: (error: unknown) => boolean) {
    this.#retry = retry
    this.#hasLost = hasLost
  }

  get statistics(): EntityStatistics {
    return { ...this.#counts }
  }

  /** @throws {StoreError} `OVERLOADED` if every attempt lost; the error of another failure */
  async run<R>(attempt: () => Promise<R>): Promise<R> {
    let waitedMs = 0
    for (let count = 1; ; count++) {
      try {
        const result = await attempt()
        this.#counts.committed++
        return result
      } catch (error) {
        if (!this.#hasLost(error)) throw error
        const waitMs = this.#lost(count, waitedMs, error)
        waitedMs += waitMs
        this.#counts.waitedMs += waitMs
        if (waitMs > 0) await pause(waitMs)
        this.#counts.retries++
      }
    }
  }

  #lost(count: number, waitedMs: number, cause: unknown): number {
    this.#counts.conflicts++
    const waitMs = this.#retry({ count, waitedMs, random: Math.random })
    if (waitMs !== undefined) return waitMs
    this.#counts.givenUp++
    throw new StoreError(
      'OVERLOADED',
      `A transaction lost against others ${count} times, and was given up.`,
      { cause },
    )
  }
}
