import type { CallOptions, ReadMeta, StandIn } from '@unikv/core'

/**
 * One more attempt of a call whose earlier ones may have had an effect: whether *this* one was sent is for those below,
 * and for the caller the write stays sent.
 */
export class FurtherAttempt implements CallOptions {
  /** This attempt, or a part of it, is on its way. */
  sent = false
  readonly #call: CallOptions

  constructor(call: CallOptions) {
    this.#call = call
    call.sent = true
  }

  get deadlineAt(): number {
    return this.#call.deadlineAt
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal
  }

  get consistency(): string | undefined {
    return this.#call.consistency
  }

  get whole(): boolean {
    return this.#call.whole === true
  }

  get standIn(): StandIn | undefined {
    return this.#call.standIn
  }

  /** As of the call. */
  get absences(): Map<string, ReadMeta> | undefined {
    return this.#call.absences
  }

  set absences(absences: Map<string, ReadMeta> | undefined) {
    this.#call.absences = absences
  }

  get settled(): boolean {
    return this.#call.settled === true
  }
}
