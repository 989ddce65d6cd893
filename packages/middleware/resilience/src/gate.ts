import {
  type Awaitable,
  type CallOptions,
  isPromise,
  isStoreError,
  StoreError,
  toStoreError,
} from '@unikv/core'
import { bounded, endOf } from '@unikv/core/adapter'
import { Breaker, type Pass, type Verdict } from './breaker.ts'
import { CallTime, LoopTurns } from './call-time.ts'
import type { BreakerState, ResilienceSettings } from './options.ts'
import { Places } from './places.ts'
import { Verdicts } from './verdicts.ts'

/** The gate that every request passes: a place among the running ones, and the breaker. */
export class Gate {
  readonly #places: Places | undefined
  readonly #breaker: Breaker | undefined
  readonly #verdicts: Verdicts = new Verdicts()
  readonly #turns: LoopTurns = new LoopTurns()
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

  /** Whether a request would go out at once. */
  get isOpen(): boolean {
    return this.state === 'closed' && this.#places?.isFree !== false
  }

  /** Whether an error came from here. */
  hasRefused(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#refusals.has(error)
  }

  /**
   * Send a request when a place is free. Errors of other kinds become a StoreError.
   *
   * @throws {StoreError} `UNAVAILABLE` while the breaker is open, `OVERLOADED` while too many wait
   */
  pass<A>(call: CallOptions, request: () => Awaitable<A>): Awaitable<A> {
    const places = this.#places
    if (places === undefined || places.take()) return this.#send(call, request, places)
    // Calls that hang may hold all places: the probe needs none.
    if (this.#breaker !== undefined && this.#breaker.state !== 'closed')
      return this.#send(call, request, undefined)
    return places.wait(call).then(
      () => this.#send(call, request, places),
      (error: unknown) => {
        if (isStoreError(error) && error.code === 'OVERLOADED') this.#refuse(error, 'concurrency')
        throw error
      },
    )
  }

  /** Send a request that is answered at once, and therefore takes no place of others. */
  passAtOnce<A>(call: CallOptions, request: () => A): A {
    return this.#send<A>(call, request, undefined) as A
  }

  #send<A>(call: CallOptions, request: () => Awaitable<A>, places: Places | undefined): Awaitable<A> {
    let pass: Pass | undefined
    try {
      pass = this.#entered(call)
      const answer = request()
      if (!Array.isArray(answer) && isPromise(answer)) return this.#follow(answer, pass, call, places)
      places?.leave()
      if (pass !== undefined) this.#breaker?.leave(pass, this.#verdicts.ofAnswer(answer, call))
      return answer
    } catch (error) {
      places?.leave()
      if (pass !== undefined) this.#breaker?.leave(pass, this.#verdicts.ofError(error, call))
      throw this.#known(error, call)
    }
  }

  /** Pass the breaker, if there is one. A call that has ended meanwhile tells nothing of the store. */
  #entered(call: CallOptions): Pass | undefined {
    if (call.settled === true || call.signal?.aborted === true) {
      const end = endOf(call, true)
      if (end !== undefined) throw end
    }
    if (this.#breaker === undefined) return undefined
    const pass = this.#breaker.enter()
    if (pass === undefined) throw this.#broken(call)
    return pass
  }

  async #follow<A>(
    answer: Promise<A>,
    pass: Pass | undefined,
    call: CallOptions,
    places: Places | undefined,
  ): Promise<A> {
    if (pass !== undefined) this.#watch(answer, pass, call)
    try {
      return await answer
    } catch (error) {
      throw this.#known(error, call)
    } finally {
      places?.leave()
    }
  }

  /** Tell the breaker of the end of a call: that of a silent store is the deadline or the signal. */
  #watch(answer: Promise<unknown>, pass: Pass, call: CallOptions): void {
    const time = new CallTime(this.#turns)
    let isTold = false
    const tell = (verdict: () => Verdict): void => {
      if (!isTold) this.#breaker?.leave(pass, verdict())
      isTold = true
    }
    const failed = (error: unknown): void => tell(() => this.#verdicts.ofError(error, call, time))
    answer.then((results) => {
      this.#verdicts.answered(time)
      tell(() => this.#verdicts.ofAnswer(results, call, time))
    }, failed)
    bounded(
      call,
      false,
      () => answer,
      () => {},
    ).catch(failed)
  }

  #known(error: unknown, call: CallOptions): unknown {
    if (isStoreError(error)) return error
    const code = call.sent === true ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
    return toStoreError(error, { code, store: this.#store })
  }

  #broken(call: CallOptions): StoreError {
    call.sent = false
    const message = `${this.#store} failed too often, so no calls go to it for a while; nothing was sent. Try again later.`
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
