import type { AnyStore } from '../stack/compose.ts'
import { hasCache } from '../stack/has-cache.ts'
import type { Capabilities } from './capabilities.ts'
import type { CallOptions, ReadMeta, StandIn, Store } from './store.ts'

/**
 * The consistency levels that a layer may declare which can have the store itself answer. To be answered by a
 * linearizable store alone *is* strong consistency, so `'strong'` is offered even if the store has only one way to read
 * and so declares none.
 */
export function levelsAbove({ consistency, isolation }: Capabilities): readonly string[] {
  return consistency.includes('strong') || isolation !== 'linearizable'
    ? consistency
    : [...consistency, 'strong']
}

/**
 * The level of a read that no layer below answers with what it has kept; `undefined` where the store has none. A cache
 * understands `'strong'` over every store.
 */
export function levelPastCaches(store: AnyStore): 'strong' | undefined {
  if (store.capabilities.consistency.includes('strong')) return 'strong'
  return hasCache(store) ? 'strong' : undefined
}

/** The same call without a consistency level: deadline and signal are those of the call, and `sent` is noted on it. */
export class AnyLevel implements CallOptions {
  readonly consistency: undefined
  readonly #call: CallOptions

  /** @param call The call that this one stands for. */
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
  return call.consistency === 'strong' ? new AnyLevel(call) : call
}
