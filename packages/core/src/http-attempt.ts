import type { HttpResponse } from './http-response.ts'
import type { CallOptions } from './store.ts'

/**
 * One request of a call: whether it went out, its end, and the head of its answer. Also the call's options as far as
 * this request is concerned (others of the same call may be out already), and an abort signal in the form in which the
 * AWS SDK takes one: those of Node cost more to make than all else here.
 */
export class HttpAttempt implements CallOptions {
  readonly deadlineAt: number
  readonly signal: AbortSignal | undefined
  readonly settled: boolean
  /** The request went out. */
  sent = false
  /** It was given up. */
  aborted = false
  /** Told when it is given up. */
  onabort: (() => unknown) | null = null
  /** Status and headers, once they are there. */
  answer: HttpResponse | undefined
  readonly #call: CallOptions
  readonly #isWrite: boolean

  constructor(call: CallOptions, isWrite: boolean) {
    const { deadlineAt, signal, settled = false } = call
    this.deadlineAt = deadlineAt
    this.signal = signal
    this.settled = settled
    this.#call = call
    this.#isWrite = isWrite
  }

  /** It went out, and no answer came before the deadline. */
  get isOverdue(): boolean {
    // Timers count whole milliseconds, and may be one early.
    return this.sent && this.answer === undefined && performance.now() + 1 >= this.deadlineAt
  }

  /** The first byte is about to go out. */
  goesOut(): void {
    this.sent = true
    if (this.#isWrite) this.#call.sent = true
  }

  /** Give up. */
  end(): void {
    this.aborted = true
    this.onabort?.()
  }
}
