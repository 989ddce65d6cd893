import type { Capabilities } from './capabilities.ts'
import { derive } from './derive.ts'
import type { CallOptions, Store } from './store.ts'

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

/** The store, with calls that ask for `'strong'` in words that it knows. */
export function understanding<V>(inner: Store<V>): Pick<Store<V>, 'read' | 'write' | 'scan' | 'find'> {
  const { find } = inner
  const { consistency } = inner.capabilities
  if (consistency.includes('strong')) return inner
  return {
    read: (reads, call) => inner.read(reads, withoutStrong(call)),
    write: (mutations, call) => inner.write(mutations, withoutStrong(call)),
    scan: (range, call) => inner.scan(range, withoutStrong(call)),
    ...(find !== undefined && { find: (query, call) => find(query, withoutStrong(call)) }),
  }
}

function withoutStrong(call: CallOptions): CallOptions {
  return call.consistency === 'strong' ? derive(call, { consistency: null }) : call
}
