import type { CallOptions, Store } from '@unikv/core'
import { derive, hasCache } from '@unikv/core/adapter'
import { LoadCall } from './loads/load-call.ts'

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
      below.read(reads, call instanceof LoadCall && call.consistency === undefined ? pastTiers(call) : call),
    write: (mutations, call) => below.write(mutations, call),
  }
}

/** The same call, past the tiers below. */
export function pastTiers(call: CallOptions): CallOptions {
  return derive(call, { consistency: 'strong', sent: 'own' })
}
