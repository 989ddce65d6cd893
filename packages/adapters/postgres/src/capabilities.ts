import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { SqlDurability } from '@unikv/core/sql-client'

/** The failure that an acknowledged write survives, by the server's own settings. */
export type PostgresDurability = SqlDurability

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: true,
  increment: true,
  existed: true,
  batch: { atomicity: 'none', maxItems: 256, maxBytes: 8_388_608, coalesce: { min: 4, max: 32 } },
  // An index takes entries of up to 2,704 bytes.
  maxKeyBytes: 2_000,
  isolation: 'linearizable',
  // Every read goes to the one server, so all of them are strong.
  consistency: ['strong'],
  evicts: false,
  sealed: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the PostgreSQL store. The type parameters come from its options. */
export interface PostgresCapabilities<
  Documents extends boolean = boolean,
  Durability extends PostgresDurability = PostgresDurability,
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
}: Pick<PostgresCapabilities, 'documents' | 'durability' | 'maxValueBytes'>): PostgresCapabilities {
  return Object.freeze({ ...always, maxValueBytes, durability, documents, find: documents })
}
