import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { CouchdbDurability, CouchdbSettings } from './options.ts'

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: false,
  increment: false,
  batch: { atomicity: 'none', maxItems: 256, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
  // A document id is twice as long.
  maxKeyBytes: 1_024,
  consistency: [],
  evicts: false,
  sealed: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the CouchDB store. The type parameters come from its options. */
export interface CouchdbCapabilities<
  Documents extends boolean = boolean,
  Durability extends CouchdbDurability = CouchdbDurability,
  Isolation extends 'linearizable' | 'eventual' = 'linearizable' | 'eventual',
> extends DeclaredBy<typeof always> {
  readonly find: Documents
  readonly durability: Durability
  readonly isolation: Isolation
  readonly documents: Documents
}

/** The capabilities with these settings. */
export function capabilitiesOf(settings: CouchdbSettings): CouchdbCapabilities {
  const { documents, durability, isolation, maxValueBytes } = settings
  return Object.freeze({ ...always, maxValueBytes, durability, isolation, documents, find: documents })
}
