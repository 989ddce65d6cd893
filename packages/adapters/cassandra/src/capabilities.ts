import type { Capabilities } from '@unikv/core'
import { type ConditionalConsistency, consistencyOf, type PlainConsistency } from './client/consistency.ts'
import type { CassandraDurability, CassandraSettings } from './options.ts'

/** A partition key is told by 16 bits of length. */
const maxKeyBytes = 65_535

/** Capabilities of the Cassandra store. The type parameters come from its options. */
export interface CassandraCapabilities<
  Conditions extends boolean = boolean,
  Durability extends CassandraDurability = CassandraDurability,
> extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: Conditions
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly touch: Conditions
  readonly increment: false
  readonly durability: Durability
  readonly isolation: Conditions extends true ? 'linearizable' : 'eventual'
  readonly consistency: Conditions extends true ? ConditionalConsistency : PlainConsistency
  readonly evicts: false
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** The capabilities with these settings. */
export function capabilitiesOf(settings: CassandraSettings): CassandraCapabilities {
  const { conditions, durability, maxValueBytes } = settings
  return Object.freeze<CassandraCapabilities>({
    scan: { order: 'none', delivery: 'once', prefix: 'filtered' },
    conditionalWrite: conditions,
    conditionalRead: true,
    ttl: { kind: 'native', precisionMs: 1 },
    touch: conditions,
    increment: false,
    // Nothing to merge: each key has a statement of its own, and the driver puts those of a moment into one packet.
    batch: { atomicity: 'none', maxItems: 1_024, maxBytes: 16_777_216, coalesce: false },
    maxKeyBytes,
    maxValueBytes,
    durability,
    isolation: conditions ? 'linearizable' : 'eventual',
    consistency: consistencyOf(settings),
    evicts: false,
    sealed: false,
    documents: false,
    sync: 'none',
  })
}
