import type { Bytes, CallOptions, Store } from '@unikv/core'
import { levelPastCaches } from '@unikv/core/adapter'

/**
 * A request that a call makes besides its own: deadline and signal are those of the call, but that it was sent says
 * nothing of the write of the call.
 */
export class Step implements CallOptions {
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

  get settled(): boolean {
    return this.#call.settled === true
  }
}

/** The same call, for a look past everything that may answer with what is old. */
export function strongest(inner: Store<Bytes>, call: CallOptions): Step {
  return new Step(call, levelPastCaches(inner) ?? call.consistency)
}
