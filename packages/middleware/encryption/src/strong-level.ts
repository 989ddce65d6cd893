import type { Bytes, Store } from '@unikv/core'
import { levelPastCaches } from '@unikv/core/adapter'

/** Where not every read is strong: the level of those which no replica and no cache in between may answer. */
export function strongLevel(store: Store<Bytes>): 'strong' | undefined {
  return store.capabilities.isolation === 'linearizable' ? undefined : levelPastCaches(store)
}
