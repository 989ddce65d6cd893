import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { SqlDurability } from '@unikv/core/sql-client'

/**
 * Longest key in bytes. InnoDB indexes up to 3,072, but a server fills a buffer of the declared length for each key of
 * a list: with 3,072 it works a sixth longer on a record of a batch.
 */
export const maxKeyBytes = 1_024

/** The failure that an acknowledged write survives, by the server's own settings. */
export type MysqlDurability = SqlDurability

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: true,
  increment: true,
  batch: { atomicity: 'none', maxItems: 256, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
  maxKeyBytes,
  isolation: 'linearizable',
  // Every read goes to the one server, so all of them are strong.
  consistency: ['strong'],
  evicts: false,
  sealed: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the MySQL store. The type parameters come from its options. */
export interface MysqlCapabilities<
  Documents extends boolean = boolean,
  Durability extends MysqlDurability = MysqlDurability,
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
}: Pick<MysqlCapabilities, 'documents' | 'durability' | 'maxValueBytes'>): MysqlCapabilities {
  return Object.freeze({ ...always, maxValueBytes, durability, documents, find: documents })
}
