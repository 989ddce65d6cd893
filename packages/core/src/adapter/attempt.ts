import { type Deferred, promiseFor } from '../batches/deferred.ts'
import { endOf, leftMs } from '../contract/call.ts'
import { abortError, timeoutError } from '../contract/call-errors.ts'
import type { StoreError } from '../contract/errors.ts'
import type { CallOptions } from '../contract/store.ts'
import { Deadlines, type Waiting } from '../platform/deadlines.ts'
import { AbortController, unwatch, watch } from '../platform/signals.ts'

/**
 * Ask a driver within the deadline and the signal of a call. `ask` gets a signal that is aborted when the call ends
 * early, for drivers that can stop; an answer that comes later is dropped. Errors of `ask` pass through.
 *
 * @throws {StoreError} `TIMEOUT` or `ABORTED`; `OUTCOME_UNKNOWN` for a write with `call.sent`
 */
export function attempt<T>(
  call: CallOptions,
  isWrite: boolean,
  ask: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  return bounded(
    call,
    isWrite,
    () => ask(stop.signal),
    () => stop.abort(),
  )
}

/** As `attempt`, for drivers that take no signal, or one that is cheaper to make: `endEarly` stops them. */
export function bounded<T>(
  call: CallOptions,
  isWrite: boolean,
  ask: () => Promise<T>,
  endEarly: () => void,
): Promise<T> {
  const refusal = endOf(call, isWrite)
  if (refusal !== undefined) return Promise.reject(refusal)
  const asked = new Asked<T>(call, isWrite, endEarly)
  try {
    asked.follow(ask())
  } catch (error) {
    asked.fail(error)
  }
  return asked.answer
}

/** One timer for all that wait for an answer in this process. */
const deadlines = new Deadlines<Waiting>()

/** Something that waits for an answer no longer than until the deadline of its call. */
export abstract class Timed implements Waiting {
  // Fields that `Deadlines` sets.
  expiresAt = 0
  place = -1
  protected readonly call: CallOptions

  constructor(call: CallOptions) {
    this.call = call
    if (call.deadlineAt !== Number.POSITIVE_INFINITY) this.#wait()
  }

  /** The deadline has come. */
  expire(): void {
    // After a blocked event loop the timer may be a moment early.
    if (leftMs(this.call) > 0) this.#wait()
    else this.cut()
  }

  /** The call is over. */
  protected abstract cut(): void

  /** Nothing is waited for any more. */
  protected forget(): void {
    deadlines.remove(this)
  }

  #wait(): void {
    deadlines.add(Math.max(0, leftMs(this.call)), this)
  }
}

/** The same, which ends with the signal of its call, too. */
export abstract class Bounded extends Timed {
  constructor(call: CallOptions) {
    super(call)
    watch(call.signal, this)
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.cut()
  }

  protected override forget(): void {
    super.forget()
    unwatch(this.call.signal, this)
  }
}

/** A question to a driver: ends once, with its answer or with its call. */
class Asked<T> extends Bounded implements Deferred<T> {
  readonly answer: Promise<T>
  readonly #isWrite: boolean
  readonly #endEarly: () => void
  #isOver = false
  declare resolve: (value: T) => void
  declare reject: (error: unknown) => void

  constructor(call: CallOptions, isWrite: boolean, endEarly: () => void) {
    super(call)
    this.#isWrite = isWrite
    this.#endEarly = endEarly
    this.answer = promiseFor(this)
  }

  follow(work: Promise<T>): void {
    work.then(
      (value) => {
        if (this.#end()) this.resolve(value)
      },
      (error: unknown) => this.fail(error),
    )
  }

  fail(error: unknown): void {
    if (this.#end()) this.reject(error)
  }

  protected cut(): void {
    if (!this.#end()) return
    this.reject(endedWith(this.call, this.#isWrite, this.call.sent === true))
    this.#endEarly()
  }

  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.forget()
    return true
  }
}

/** The error of a request whose call has ended, by its signal or at its deadline. `sent` is of this request alone. */
export function endedWith({ signal, deadlineAt }: CallOptions, isWrite: boolean, sent: boolean): StoreError {
  const own = { signal, deadlineAt, sent }
  return signal?.aborted === true ? abortError(own, isWrite) : timeoutError(own, isWrite)
}
