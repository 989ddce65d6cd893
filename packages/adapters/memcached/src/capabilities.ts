import type { Capabilities } from '@unikv/core'
import type { MemcachedSettings } from './options.ts'

/** Capabilities of the memcached store. */
export interface MemcachedCapabilities extends Capabilities {
  readonly scan: false
  readonly conditionalWrite: true
  readonly conditionalRead: false
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly touch: false
  readonly increment: false
  readonly maxKeyBytes: 180
  readonly durability: 'memory'
  readonly isolation: 'linearizable'
  readonly consistency: readonly ['strong']
  readonly evicts: true
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** The capabilities with these settings. A key lives on one server, which is asked for it alone. */
export function capabilitiesOf({ maxValueBytes }: MemcachedSettings): MemcachedCapabilities {
  return Object.freeze<MemcachedCapabilities>({
    scan: false,
    conditionalWrite: true,
    conditionalRead: false,
    ttl: { kind: 'native', precisionMs: 1 },
    touch: false,
    increment: false,
    batch: { atomicity: 'none', maxItems: 1_000, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
    maxKeyBytes: 180,
    maxValueBytes,
    durability: 'memory',
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: true,
    sealed: false,
    documents: false,
    sync: 'none',
  })
}
