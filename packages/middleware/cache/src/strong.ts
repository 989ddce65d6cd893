import type { CallOptions, Store } from '@unikv/core'
import { AnyLevel, hasCache } from '@unikv/core/adapter'
import { LoadCall } from './loads/load-call.ts'
import { PassingCall } from './loads/loading.ts'

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

/**
 * The store, with loads that ask for `'strong'` where it may answer with less than was acknowledged: an old value would be
 * kept and answered to all who come later. A cache in between does so itself.
 */
export function filling<V>(
  inner: Store<V>,
  below: Pick<Store<V>, 'read' | 'write' | 'scan'>,
): Pick<Store<V>, 'read' | 'write'> {
  const { isolation, consistency } = inner.capabilities
  if (isolation === 'linearizable' || !consistency.includes('strong') || hasCache(inner)) return below
  return {
    read: (reads, call) =>
      below.read(
        reads,
        call instanceof LoadCall && call.consistency === undefined ? new PassingCall(call) : call,
      ),
    write: (mutations, call) => below.write(mutations, call),
  }
}
