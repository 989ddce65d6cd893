import type { CallOptions, Capabilities } from '@unikv/core'

/**
 * The consistency levels above a fallback. Over a linearizable primary, to be answered by it alone *is* strong
 * consistency, so that level is offered even if the store has only one way to read and so declares none.
 */
export function levelsAbove({ consistency, isolation }: Capabilities): readonly string[] {
  return consistency.includes('strong') || isolation !== 'linearizable'
    ? consistency
    : [...consistency, 'strong']
}

/** The call as a store understands it: without a level that it does not declare. */
export function understood(call: CallOptions, { consistency }: Capabilities): CallOptions {
  return call.consistency === undefined || consistency.includes(call.consistency) ? call : new AnyLevel(call)
}

/** The same call without a level; what is noted on one is noted on the other. */
export class AnyLevel implements CallOptions {
  readonly consistency: undefined
  readonly #call: CallOptions

  constructor(call: CallOptions) {
    this.#call = call
  }

  get deadlineAt(): number {
    return this.#call.deadlineAt
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal
  }

  get sent(): boolean {
    return this.#call.sent === true
  }

  set sent(sent: boolean) {
    this.#call.sent = sent
  }

  get settled(): boolean {
    return this.#call.settled === true
  }
}
