import { type CallOptions, isStoreError } from '@unikv/core'
import { leftMs } from '@unikv/core/adapter'
import type { Verdict } from './breaker.ts'
import type { CallTime } from './call-time.ts'

/** The store, or the way to it, does not work. */
const failing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'OVERLOADED', 'TIMEOUT', 'OUTCOME_UNKNOWN'])
/** Nothing was heard of the store. */
const silences: ReadonlySet<string> = new Set(['ABORTED', 'TIMEOUT', 'OUTCOME_UNKNOWN'])
/** Only an answer of the store leads to these. All other errors may be made before it is asked. */
const answered: ReadonlySet<string> = new Set([
  'CONDITION_FAILED',
  'STORE_FULL',
  'ACCESS_DENIED',
  'NOT_PREPARED',
  'CORRUPT',
  'AUTHENTICATION_FAILED',
])

/** Ends a read whose twin was answered first: it tells nothing of the store. */
export const beaten: Error = new Error('The other of two reads was answered first.')

/** A block of more milliseconds may have ended what a client of a store waits for by timers of its own. */
const longBlockMs = 500

/** The health of one store, as the ends of calls show it. */
export class Verdicts {
  /** Mean of the latest answers that came by promise. */
  #usualMs = 0

  /** Note how long an answer took. */
  answered(time: CallTime): void {
    this.#usualMs += (time.ranMs - this.#usualMs) / 8
  }

  /** Verdict of an answer: results of a verb, of which one that the store gave is enough; or a page. */
  ofAnswer(answer: unknown, call: CallOptions, time?: CallTime): Verdict {
    if (!Array.isArray(answer)) return 'works'
    let verdict: Verdict = 'nothing'
    for (const one of answer) {
      const told = isStoreError(one) ? this.ofError(one, call, time) : 'works'
      if (told === 'works') return 'works'
      if (told === 'fails') verdict = 'fails'
    }
    return verdict
  }

  /** Verdict of an error. One that is not of this library comes from the client of a store. */
  ofError(error: unknown, call: CallOptions, time?: CallTime): Verdict {
    const { signal } = call
    const code = isStoreError(error) ? error.code : 'UNAVAILABLE'
    if (answered.has(code)) return 'works'
    if (signal?.aborted === true && silences.has(code)) return this.#ofAbort(signal.reason, time)
    if (!failing.has(code)) return 'nothing'
    // The deadline of a call moves on by the time in which the process did not run.
    if (time === undefined || time.hasRun || leftMs(call) <= 0) return 'fails'
    return !silences.has(code) && time.lostMs < longBlockMs ? 'fails' : 'nothing'
  }

  /**
   * A signal that ends a call is a time-out if it says so itself (`AbortSignal.timeout`), or if the store was silent for
   * more than twice the time in which it usually answers. Any other abort is the caller's own affair.
   */
  #ofAbort(reason: unknown, time: CallTime | undefined): Verdict {
    if (reason === beaten || time === undefined || time.isInItsTurn || !time.hasRun) return 'nothing'
    const isTimeout = (reason as { readonly name?: unknown } | null)?.name === 'TimeoutError'
    return isTimeout || time.ranMs > 2 * this.#usualMs ? 'fails' : 'nothing'
  }
}
