import { type Awaitable, areAtHand, type CallOptions, isStoreError, type StoreError } from '@unikv/core'
import { type Deed, derive, mayRetry } from '@unikv/core/adapter'
import { Budget } from './budget.ts'
import type { Gate } from './gate.ts'
import type { ResilienceSettings } from './options.ts'
import { Sleepers } from './sleepers.ts'

/** The request, and the parts that may be retried. */
export interface Verb<T, R> {
  readonly name: 'read' | 'write'
  readonly ask: (items: readonly T[], call: CallOptions) => Awaitable<readonly R[]>
  readonly deedOf: (item: T) => Deed
}

/**
 * Tries again what the table of outcomes allows, item by item: with full jitter, inside the deadline of the call and
 * a budget that all calls share. Answers without a promise are passed on as they are.
 */
export class Retries {
  readonly sleepers: Sleepers = new Sleepers()
  readonly #settings: ResilienceSettings
  readonly #gate: Gate
  readonly #budget: Budget
  count = 0

  constructor(settings: ResilienceSettings, gate: Gate) {
    this.#settings = settings
    this.#gate = gate
    this.#budget = new Budget(settings.retry.budget, settings.retry.burst)
  }

  /** Ask, and ask again. */
  run<T, R>(verb: Verb<T, R>, items: readonly T[], call: CallOptions): Awaitable<readonly R[]> {
    this.#budget.earn()
    const first = this.#gate.pass(call, () => verb.ask(items, call))
    if (areAtHand(first)) return first
    return first.then(
      (results) => (results.some(isStoreError) ? this.#again(verb, items, call, results) : results),
      (error: Error) =>
        this.#again(
          verb,
          items,
          call,
          items.map(() => error as R),
          error,
        ),
    )
  }

  /**
   * Wait before another attempt, if there is one; whether there is. `error` is why the last one failed.
   */
  async next(
    verb: Verb<never, never>['name'] | 'scan',
    attempt: number,
    error: StoreError,
    call: CallOptions,
  ): Promise<boolean> {
    const { retry, random, now, onEvent } = this.#settings
    if (attempt >= retry.attempts) return false
    const waitMs = random() * Math.min(retry.capMs, retry.baseMs * 2 ** (attempt - 1))
    if (now() + waitMs >= call.deadlineAt || !this.#budget.spend()) return false
    this.count++
    onEvent({ type: 'retry', verb, code: error.code, attempt: attempt + 1, waitMs })
    return this.sleepers.sleep(waitMs, call)
  }

  async #again<T, R>(
    verb: Verb<T, R>,
    items: readonly T[],
    call: CallOptions,
    first: readonly R[],
    thrown?: Error,
  ): Promise<readonly R[]> {
    const results = first.slice()
    let hasActed = false
    for (let attempt = 1; ; attempt++) {
      const open = items.flatMap((item, i) => (this.#isOpen(verb.deedOf(item), results[i]) ? [i] : []))
      const errors = open.map((i) => results[i] as StoreError)
      if (errors[0] === undefined) break
      hasActed ||= errors.length < items.length || errors.some(isUnknown)
      // Until it goes out again, what is known stays known: nothing was changed.
      if (!hasActed) call.sent = false
      if (!(await this.next(verb.name, attempt, errors[0], call))) break
      const again = await this.#once(
        verb,
        open.map((i) => items[i] as T),
        hasActed && verb.name === 'write' ? furtherAttempt(call) : call,
      )
      if (again === undefined) break
      open.forEach((i, n) => {
        results[i] = stillUnknown(results[i], again[n] as R)
      })
    }
    if (thrown !== undefined && results.every((result) => result === thrown)) throw thrown
    return results
  }

  /** One more attempt; `undefined` if it was not let out. */
  async #once<T, R>(
    verb: Verb<T, R>,
    items: readonly T[],
    call: CallOptions,
  ): Promise<readonly R[] | undefined> {
    try {
      return await this.#gate.pass(call, () => verb.ask(items, call))
    } catch (error) {
      if (this.#gate.hasRefused(error)) return undefined
      if (!isStoreError(error)) throw error
      return items.map(() => error as R)
    }
  }

  #isOpen(deed: Deed, result: unknown): boolean {
    const asked = this.#settings.retry.lateDuplicates === 'allowed'
    return !this.#gate.hasRefused(result) && mayRetry(deed, result, asked)
  }
}

/**
 * One more attempt of a write whose earlier ones may have had an effect: whether *this* one was sent is for those below,
 * and for the caller the write stays sent.
 */
function furtherAttempt(call: CallOptions): CallOptions {
  call.sent = true
  return derive(call, { sent: 'own' })
}

function isUnknown(result: unknown): boolean {
  return isStoreError(result) && result.code === 'OUTCOME_UNKNOWN'
}

/** The outcome of a later attempt (nothing was sent, say) does not tell that of an earlier one. */
function stillUnknown<R>(earlier: R | undefined, later: R): R {
  return isUnknown(earlier) && isStoreError(later) ? (earlier as R) : later
}
