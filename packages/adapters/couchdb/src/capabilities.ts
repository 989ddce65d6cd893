import type { Capabilities } from '@unikv/core'
import type { CouchdbDurability, CouchdbSettings } from './options.ts'

/** Capabilities of the CouchDB store. The type parameters come from its options. */
export interface CouchdbCapabilities<
  Documents extends boolean = boolean,
  Durability extends CouchdbDurability = CouchdbDurability,
  Isolation extends 'linearizable' | 'eventual' = 'linearizable' | 'eventual',
> extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly touch: false
  readonly increment: false
  readonly find: Documents
  readonly durability: Durability
  readonly isolation: Isolation
  readonly consistency: readonly []
  readonly evicts: false
  readonly sealed: false
  readonly documents: Documents
  readonly sync: 'none'
}

/** Longest key in bytes; its document id is twice as long. */
const maxKeyBytes = 1_024

/** The capabilities with these settings. */
export function capabilitiesOf(settings: CouchdbSettings): CouchdbCapabilities {
  const { documents, durability, isolation, maxValueBytes } = settings
  return Object.freeze<CouchdbCapabilities>({
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: false,
    increment: false,
    find: documents,
    batch: { atomicity: 'none', maxItems: 256, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
    maxKeyBytes,
    maxValueBytes,
    durability,
    isolation,
    consistency: [],
    evicts: false,
    sealed: false,
    documents,
    sync: 'none',
  })
}
