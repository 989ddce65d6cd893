import { type Awaitable, areAtHand, type CallOptions, isStoreError, StoreError } from '@unikv/core'
import { lostMs } from '@unikv/core/platform'
import { Breaker, type Pass } from './breaker.ts'
import type { BreakerState, ResilienceSettings } from './options.ts'
import { Places } from './places.ts'

/** Codes that say something about the store, not about the call. */
const failures: ReadonlySet<string> = new Set(['UNAVAILABLE', 'OVERLOADED', 'TIMEOUT', 'OUTCOME_UNKNOWN'])

/** What every request passes on its way out: a place among those under way, and the breaker. */
export class Gate {
  readonly #places: Places | undefined
  readonly #breaker: Breaker | undefined
  readonly #settings: ResilienceSettings
  readonly #store: string
  /** Errors of this gate: no reason to try again. */
  readonly #refusals = new WeakSet<object>()
  refusedByBreaker = 0
  refusedByConcurrency = 0

  constructor(settings: ResilienceSettings, store: string) {
    const { concurrency, breaker, onEvent } = settings
    this.#settings = settings
    this.#store = store
    this.#places = concurrency && new Places(concurrency)
    this.#breaker = breaker && new Breaker(breaker, settings, (state) => onEvent({ type: 'breaker', state }))
  }

  get state(): BreakerState {
    return this.#breaker?.state ?? 'closed'
  }

  /** Requests under way. */
  get underWay(): number {
    return this.#places?.taken ?? 0
  }

  /** Calls that wait for a place. */
  get queued(): number {
    return this.#places?.queued ?? 0
  }

  /** Whether an error came from here. */
  hasRefused(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#refusals.has(error)
  }

  /**
   * Send a request, when there is a place for it.
   *
   * @throws {StoreError} `UNAVAILABLE` while the breaker is open, `OVERLOADED` while too many wait
   */
  pass<R>(call: CallOptions, request: () => Awaitable<readonly R[]>): Awaitable<readonly R[]> {
    const places = this.#places
    if (places === undefined || places.take()) return this.#send(call, request)
    if (this.#breaker !== undefined && this.#breaker.state !== 'closed') throw this.#broken(call)
    return places.wait(call).then(
      () => this.#send(call, request),
      (error: unknown) => {
        if (isStoreError(error) && error.code === 'OVERLOADED') this.#refuse(error, 'concurrency')
        throw error
      },
    )
  }

  #send<R>(call: CallOptions, request: () => Awaitable<readonly R[]>): Awaitable<readonly R[]> {
    const pass = this.#breaker?.enter(() => call.deadlineAt)
    if (this.#breaker !== undefined && pass === undefined) {
      this.#places?.leave()
      throw this.#broken(call)
    }
    try {
      const answer = request()
      if (areAtHand(answer)) {
        this.#end(pass, hasFailed(answer))
        return answer
      }
      return this.#follow(answer, pass)
    } catch (error) {
      this.#end(pass, isFailure(error))
      throw error
    }
  }

  async #follow<R>(answer: Promise<readonly R[]>, pass: Pass | undefined): Promise<readonly R[]> {
    const lostBefore = lostMs()
    let failed = true
    try {
      const results = await answer
      failed = hasFailed(results)
      return results
    } catch (error) {
      failed = isFailure(error)
      throw error
    } finally {
      // While this process did not run, the store may have answered: its failure says nothing about the store.
      this.#end(pass, failed && lostMs() === lostBefore)
    }
  }

  #end(pass: Pass | undefined, failed: boolean): void {
    this.#places?.leave()
    if (pass !== undefined) this.#breaker?.leave(pass, failed)
  }

  #broken(call: CallOptions): StoreError {
    call.sent = false
    const message = `${this.#store} failed too often and is left alone for a while; nothing was sent. Try again later.`
    return this.#refuse(new StoreError('UNAVAILABLE', message), 'breaker')
  }

  #refuse(error: StoreError, by: 'breaker' | 'concurrency'): StoreError {
    if (by === 'breaker') this.refusedByBreaker++
    else this.refusedByConcurrency++
    this.#refusals.add(error)
    this.#settings.onEvent({ type: 'refused', by })
    return error
  }
}

/** Whether a call tells that its store does not work: all that it asked for failed. */
function hasFailed(results: readonly unknown[]): boolean {
  return results.length > 0 && results.every(isFailure)
}

function isFailure(error: unknown): boolean {
  return isStoreError(error) && failures.has(error.code)
}
