import type { Capabilities } from '@unikv/core'

/** The failures that acknowledged writes survive, as the operator states. */
export type HbaseDurability = 'buffered' | 'replicated'

/**
 * Capabilities of the HBase store.
 *
 * `isolation`: a row lies with one region server, which gives its cells an order. That order is by its wall clock: see
 * the README for clocks that go back.
 */
export interface HbaseCapabilities<D extends HbaseDurability = HbaseDurability> extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly touch: true
  readonly increment: false
  readonly batch: {
    readonly atomicity: 'none'
    readonly maxItems: 500
    readonly maxBytes: 8_388_608
    readonly coalesce: { readonly min: 2; readonly max: 64 }
  }
  readonly maxKeyBytes: 16_384
  readonly durability: D
  readonly isolation: 'linearizable'
  readonly consistency: readonly ['strong']
  readonly evicts: false
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** The capabilities that the options declare. */
export function capabilitiesOf<D extends HbaseDurability>(
  durability: D,
  maxValueBytes: number,
): HbaseCapabilities<D> {
  return {
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: false,
    batch: { atomicity: 'none', maxItems: 500, maxBytes: 8_388_608, coalesce: { min: 2, max: 64 } },
    // Keys stand in addresses, three characters a byte, and the gateway takes 64 KiB of headers.
    maxKeyBytes: 16_384,
    maxValueBytes,
    durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents: false,
    sync: 'none',
  }
}
