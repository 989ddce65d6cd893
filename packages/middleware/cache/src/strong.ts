import type { CallOptions, Store } from '@unikv/core'
import { AnyLevel } from '@unikv/core/adapter'

export { levelsAbove } from '@unikv/core/adapter'

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
