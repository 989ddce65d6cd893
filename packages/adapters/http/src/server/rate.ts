import { performance } from '@unikv/core/platform'
import { Refused } from './refused.ts'

/** So many callers are remembered; those that were quiet longest are forgotten, and begin anew. */
const mostCallers = 10_000

/** Buckets of tokens: each caller may send so many requests a second, and as many at once. */
export class Rate {
  readonly #perSecond: number
  readonly #buckets = new Map<string, { left: number; at: number }>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Count a request. @throws {Refused} if there were too many */
  take(caller: string): void {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return
    const now = performance.now()
    const { left, at } = this.#buckets.get(caller) ?? { left: this.#perSecond, at: now }
    const full = Math.min(this.#perSecond, left + ((now - at) / 1_000) * this.#perSecond)
    this.#buckets.delete(caller)
    this.#buckets.set(caller, { left: Math.max(0, full - 1), at: now })
    if (this.#buckets.size > mostCallers) this.#buckets.delete(this.#buckets.keys().next().value as string)
    if (full < 1)
      throw new Refused(429, 'TOO_MANY_REQUESTS', `At most ${this.#perSecond} requests a second.`, {
        'retry-after': '1',
      })
  }
}
