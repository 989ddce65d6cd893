import { StoreError } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import { exponential, type RetryPolicy } from '@unikv/entity'
import type { SqlStatistics } from './sql-db.ts'

/** Losers of locks wait, as those who try again at once meet the same ones. */
export const lockBackOff: RetryPolicy = exponential({ atOnce: 0, firstMs: 10 })

/** Runs transactions again that lost against others, and counts. */
export class Transactions {
  readonly #retry: RetryPolicy
  readonly #hasLost: (error: unknown) => boolean
  #committed = 0
  #conflicts = 0
  #retries = 0
  #givenUp = 0
  #waitedMs = 0

  constructor(retry: RetryPolicy, hasLost: (error: unknown) => boolean) {
    this.#retry = retry
    this.#hasLost = hasLost
  }

  get statistics(): SqlStatistics {
    return {
      committed: this.#committed,
      conflicts: this.#conflicts,
      retries: this.#retries,
      givenUp: this.#givenUp,
      waitedMs: this.#waitedMs,
    }
  }

  /** @throws {StoreError} `OVERLOADED` if every attempt lost; the error of another failure */
  async run<R>(attempt: () => Promise<R>): Promise<R> {
    let waitedMs = 0
    for (let count = 1; ; count++) {
      try {
        const result = await attempt()
        this.#committed++
        return result
      } catch (error) {
        if (!this.#hasLost(error)) throw error
        const waitMs = this.#lost(count, waitedMs, error)
        waitedMs += waitMs
        this.#waitedMs += waitMs
        if (waitMs > 0) await pause(waitMs)
        this.#retries++
      }
    }
  }

  #lost(count: number, waitedMs: number, cause: unknown): number {
    this.#conflicts++
    const waitMs = this.#retry({ count, waitedMs, random: Math.random })
    if (waitMs !== undefined) return waitMs
    this.#givenUp++
    throw new StoreError(
      'OVERLOADED',
      `A transaction lost against others ${count} times, and was given up.`,
      { cause },
    )
  }
}
