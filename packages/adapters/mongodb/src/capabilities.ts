import type { Capabilities, DeclaredBy } from '@unikv/core'
import { consistencyLevels, type MongodbDurability } from './client/consistency.ts'

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'native', precisionMs: 1 },
  touch: true,
  increment: true,
  batch: { atomicity: 'none', maxItems: 256, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
  // MongoDB indexes longer ones; this leaves room for the key in a document of 16 MiB.
  maxKeyBytes: 1_024,
  // A primary that does not know yet that it was deposed answers old reads; `strong` excludes that.
  isolation: 'read-committed',
  consistency: consistencyLevels,
  evicts: false,
  sealed: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the MongoDB store. The type parameters come from its options. */
export interface MongodbCapabilities<
  Documents extends boolean = boolean,
  Durability extends MongodbDurability = MongodbDurability,
> extends DeclaredBy<typeof always> {
  readonly find: Documents
  readonly durability: Durability
  readonly documents: Documents
}

/** The capabilities with these settings. */
export function capabilitiesOf({
  documents,
  durability,
  maxValueBytes,
}: Pick<MongodbCapabilities, 'documents' | 'durability' | 'maxValueBytes'>): MongodbCapabilities {
  return Object.freeze({ ...always, maxValueBytes, durability, documents, find: documents })
}
