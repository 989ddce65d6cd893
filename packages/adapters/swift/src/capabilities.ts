import type { Capabilities } from '@unikv/core'
import type { SwiftDurability, SwiftSettings } from './options.ts'

/** Capabilities of the Swift store. The type parameter comes from its options. */
export interface SwiftCapabilities<Durability extends SwiftDurability = SwiftDurability>
  extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
  readonly conditionalWrite: false
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1_000 }
  readonly touch: true
  readonly increment: false
  readonly durability: Durability
  readonly isolation: 'eventual'
  readonly consistency: readonly ['newest']
  readonly evicts: false
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/**
 * The capabilities with these settings. Swift does take `If-None-Match: *`, but looks before it writes: of sixteen
 * creators of one object up to sixteen are told that they made it, so it is not a condition. `If-Match` it ignores.
 */
export function capabilitiesOf({ durability, maxKeyBytes, maxValueBytes }: SwiftSettings): SwiftCapabilities {
  return Object.freeze<SwiftCapabilities>({
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: false,
    conditionalRead: true,
    ttl: { kind: 'native', precisionMs: 1_000 },
    touch: true,
    increment: false,
    batch: { atomicity: 'none', maxItems: 256, maxBytes: 67_108_864, coalesce: false },
    maxKeyBytes,
    maxValueBytes,
    durability,
    isolation: 'eventual',
    consistency: ['newest'],
    evicts: false,
    sealed: false,
    documents: false,
    sync: 'none',
  })
}
