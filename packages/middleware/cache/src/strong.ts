import type { CallOptions, Capabilities, Store } from '@unikv/core'

/**
 * The consistency levels above a cache. Over a linearizable store, passing the cache by *is* strong consistency,
 * so that level is offered even if the store has only one way to read and so declares none.
 */
export function levelsAbove({ consistency, isolation }: Capabilities): readonly string[] {
  return consistency.includes('strong') || isolation !== 'linearizable'
    ? consistency
    : [...consistency, 'strong']
}

/** The store, with calls that ask for `'strong'` in words that it knows. */
export function understanding<V>(inner: Store<V>): Pick<Store<V>, 'read' | 'write' | 'scan'> {
  const { consistency } = inner.capabilities
  if (consistency.includes('strong')) return inner
  return {
    read: (reads, call) => inner.read(reads, withoutStrong(call)),
    write: (mutations, call) => inner.write(mutations, withoutStrong(call)),
    scan: (range, call) => inner.scan(range, withoutStrong(call)),
  }
}

function withoutStrong(call: CallOptions): CallOptions {
  return call.consistency === 'strong' ? new Unlevelled(call) : call
}

/** The same call without a level; what is noted on one is noted on the other. */
class Unlevelled implements CallOptions {
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
