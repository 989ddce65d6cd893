import type { CallOptions, ReadMeta, StandIn } from '../contract/store.ts'

/**
 * A request that a call makes besides its own: deadline and signal are those of the call, but that it was sent says
 * nothing of the write of the call.
 */
export class StepCall implements CallOptions {
  readonly consistency: string | undefined
  sent = false
  readonly #call: CallOptions

  constructor(call: CallOptions, consistency: string | undefined = call.consistency) {
    this.#call = call
    this.consistency = consistency
  }

  get deadlineAt(): number {
    return this.#call.deadlineAt
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal
  }

  get standIn(): StandIn | undefined {
    return this.#call.standIn
  }

  /** Answers to its requests are answers to the call. */
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
