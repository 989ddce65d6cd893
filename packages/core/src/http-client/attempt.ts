import { type Call, endOf, leftMs } from '../contract/call.ts'
import { derive } from '../contract/derive.ts'
import type { StoreError } from '../contract/errors.ts'
import type { CallOptions } from '../contract/store.ts'
import type { HttpResponse } from './response.ts'

/**
 * One request of a call: whether it went out, its end, and the head of its answer. It is also an abort signal in the
 * form in which the AWS SDK takes one: those of Node cost more to make than all else here.
 */
export class HttpAttempt {
  /** The call as far as this request is concerned: others of the same call may be out already. */
  readonly call: Call
  /** It was given up. */
  aborted = false
  /** Told when it is given up. */
  onabort: (() => unknown) | null = null
  /** Status and headers, once they are there. */
  answer: HttpResponse | undefined
  /** Whether it changes something. */
  readonly isWrite: boolean

  constructor(call: CallOptions, isWrite: boolean) {
    this.call = derive(call, { sent: isWrite ? 'part' : 'own' })
    this.isWrite = isWrite
  }

  /** It went out, and no answer came before the deadline. */
  get isOverdue(): boolean {
    // Timers count whole milliseconds, and may be one early.
    return this.call.sent && this.answer === undefined && leftMs(this.call) <= 1
  }

  /**
   * The first byte is about to go out: the last moment for a call that has ended, as its caller may have been told that
   * nothing was sent. Then this is why it must not.
   */
  goesOut(): StoreError | undefined {
    const refusal = endOf(this.call, this.isWrite)
    if (refusal !== undefined) return refusal
    this.call.sent = true
    return undefined
  }

  /** Give up. */
  end(): void {
    this.aborted = true
    this.onabort?.()
  }
}
