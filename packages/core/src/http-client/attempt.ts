import { endOf } from '../adapter/attempt.ts'
import { leftMs } from '../contract/call.ts'
import type { StoreError } from '../contract/errors.ts'
import type { CallOptions } from '../contract/store.ts'
import type { HttpResponse } from './response.ts'

/**
 * One request of a call: whether it went out, its end, and the head of its answer. Also the call's options as far as
 * this request is concerned (others of the same call may be out already), and an abort signal in the form in which the
 * AWS SDK takes one: those of Node cost more to make than all else here.
 */
export class HttpAttempt implements CallOptions {
  readonly signal: AbortSignal | undefined
  /** The request went out. */
  sent = false
  /** It was given up. */
  aborted = false
  /** Told when it is given up. */
  onabort: (() => unknown) | null = null
  /** Status and headers, once they are there. */
  answer: HttpResponse | undefined
  readonly #call: CallOptions
  /** Whether it changes something. */
  readonly isWrite: boolean

  constructor(call: CallOptions, isWrite: boolean) {
    this.signal = call.signal
    this.#call = call
    this.isWrite = isWrite
  }

  get deadlineAt(): number {
    return this.#call.deadlineAt
  }

  /** The caller was answered, maybe while this request waited for a connection. */
  get settled(): boolean {
    return this.#call.settled === true
  }

  /** It went out, and no answer came before the deadline. */
  get isOverdue(): boolean {
    // Timers count whole milliseconds, and may be one early.
    return this.sent && this.answer === undefined && leftMs(this) <= 1
  }

  /**
   * The first byte is about to go out: the last moment for a call that has ended, as its caller may have been told that
   * nothing was sent. Then this is why it must not.
   */
  goesOut(): StoreError | undefined {
    const refusal = endOf(this, this.isWrite)
    if (refusal !== undefined) return refusal
    this.sent = true
    if (this.isWrite) this.#call.sent = true
    return undefined
  }

  /** Give up. */
  end(): void {
    this.aborted = true
    this.onabort?.()
  }
}
