import { StoreError } from '@unikv/core/adapter'
import { Histogram } from '@unikv/core/histogram'
import { AbortController, pause, unwatch, wallClock, watch } from '@unikv/core/platform'
import type { StoredMessage } from './layout.ts'
import type { OutboxMessage, RelayPlan, RelayStatistics } from './options.ts'

/** Hands messages to the handlers of the application, and counts that. */
export class Handing {
  readonly #plan: RelayPlan
  readonly #lag = new Histogram({ precisionBits: 7 })
  readonly #counts = { sent: 0, failed: 0, dead: 0 }

  constructor(plan: RelayPlan) {
    this.#plan = plan
  }

  /** Resolves to whether the message can be removed. `lost`: another relay may hand it on. */
  async hand(
    stored: StoredMessage,
    place: { readonly number: number; readonly failed: number },
    lost: AbortSignal,
  ): Promise<boolean> {
    const message: OutboxMessage = { ...stored, key: stored.key, ...place }
    if (place.failed === 0) this.#lag.record(wallClock() - stored.publishedAt)
    const { deadLetters } = this.#plan
    const isDead = deadLetters !== undefined && place.failed >= deadLetters.afterFailed
    try {
      const handler = isDead ? deadLetters.handler : this.#plan.handlerOf(stored.topic)
      if (handler === undefined)
        throw new StoreError(
          'INVALID_CONFIG',
          `The relay has no handler for ${JSON.stringify(stored.topic)}.`,
        )
      await this.#inTime((signal) => handler(message, { signal }), lost)
    } catch (error) {
      this.#counts.failed++
      this.#plan.tell(error, message)
      return false
    }
    this.#counts[isDead ? 'dead' : 'sent']++
    return true
  }

  statistics(): Omit<RelayStatistics, 'lanes'> {
    const { count, max } = this.#lag
    const at = (share: number): number => (count === 0 ? Number.NaN : this.#lag.percentile(share))
    return { ...this.#counts, lagMs: { median: at(50), p99: at(99), max } }
  }

  async #inTime(work: (signal: AbortSignal) => unknown, lost: AbortSignal): Promise<void> {
    const { handlerMs } = this.#plan
    const ended = new AbortController()
    const over = new AbortController()
    const losing = { handleEvent: (): void => over.abort(lost.reason) }
    watch(lost, losing)
    const late = pause(handlerMs, { signal: ended.signal }).then(() => {
      if (ended.signal.aborted) return
      const error = new StoreError('TIMEOUT', `The handler did not end within ${handlerMs} ms (handlerMs).`)
      over.abort(error)
      throw error
    })
    try {
      await Promise.race([(async () => work(over.signal))(), late])
    } finally {
      unwatch(lost, losing)
      ended.abort()
    }
  }
}
