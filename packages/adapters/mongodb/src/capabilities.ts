import type { Capabilities } from '@unikv/core'
import { type ConsistencyLevel, consistencyLevels, type MongodbDurability } from './client/consistency.ts'

/** Capabilities of the MongoDB store. The type parameters come from its options. */
export interface MongodbCapabilities<
  Documents extends boolean = boolean,
  Durability extends MongodbDurability = MongodbDurability,
> extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly touch: true
  readonly increment: true
  readonly find: Documents
  readonly durability: Durability
  readonly isolation: 'read-committed'
  readonly consistency: readonly ConsistencyLevel[]
  readonly evicts: false
  readonly sealed: false
  readonly documents: Documents
  readonly sync: 'none'
}

/** Longest key in bytes. MongoDB indexes longer ones; this leaves room for it in a document of 16 MiB. */
const maxKeyBytes = 1_024

/** The capabilities with these settings. */
export function capabilitiesOf(settings: {
  readonly documents: boolean
  readonly durability: MongodbDurability
  readonly maxValueBytes: number
}): MongodbCapabilities {
  return Object.freeze<MongodbCapabilities>({
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'native', precisionMs: 1 },
    touch: true,
    increment: true,
    find: settings.documents,
    batch: { atomicity: 'none', maxItems: 256, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
    maxKeyBytes,
    maxValueBytes: settings.maxValueBytes,
    durability: settings.durability,
    // A primary that does not know yet that it was deposed answers old reads; `strong` excludes that.
    isolation: 'read-committed',
    consistency: consistencyLevels,
    evicts: false,
    sealed: false,
    documents: settings.documents,
    sync: 'none',
  })
}
