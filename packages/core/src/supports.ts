import type { Capabilities } from './capabilities.ts'
import type { Increments, KeyValueBase, Revalidates, Scans, Touches, Updates } from './key-value.ts'

/** Optional operations by name. */
export interface OptionalOperations<K, V> {
  readonly scan: Scans<K, V>
  readonly conditionalWrite: Updates<K, V>
  readonly conditionalRead: Revalidates<K, V>
  readonly touch: Touches<K>
  readonly increment: Increments<K>
}

/** Whether a KeyValue of unknown capabilities offers a group of operations; narrows its type. */
export function supports<K, V, F extends keyof OptionalOperations<K, V>>(
  kv: KeyValueBase<K, V, Capabilities, unknown>,
  feature: F,
): kv is KeyValueBase<K, V, Capabilities, unknown> & OptionalOperations<K, V>[F] {
  return kv.capabilities[feature] !== false
}
