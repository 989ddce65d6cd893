import type { Capabilities, DeclaredBy } from '@unikv/core'
import {
  type ConditionalConsistency,
  type ConsistencySettings,
  consistencyOf,
  type PlainConsistency,
} from './client/consistency.ts'

/** The failure that an acknowledged write survives: the end of a server process, or the loss of a machine. */
export type CassandraDurability = 'buffered' | 'replicated'

const always = {
  scan: { order: 'none', delivery: 'once', prefix: 'filtered' },
  conditionalRead: true,
  ttl: { kind: 'native', precisionMs: 1 },
  increment: false,
  // Nothing to merge: each key has a statement of its own, and the driver puts those of a moment into one packet.
  batch: { atomicity: 'none', maxItems: 1_024, maxBytes: 16_777_216, coalesce: false },
  // A partition key is told by 16 bits of length.
  maxKeyBytes: 65_535,
  evicts: false,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the Cassandra store. The type parameters come from its options. */
export interface CassandraCapabilities<
  Conditions extends boolean = boolean,
  Durability extends CassandraDurability = CassandraDurability,
> extends DeclaredBy<typeof always> {
  readonly conditionalWrite: Conditions
  readonly touch: Conditions
  readonly durability: Durability
  readonly isolation: Conditions extends true ? 'linearizable' : 'eventual'
  readonly consistency: Conditions extends true ? ConditionalConsistency : PlainConsistency
}

/** The capabilities with these settings. */
export function capabilitiesOf(
  settings: Pick<CassandraCapabilities, 'durability' | 'maxValueBytes'> & ConsistencySettings,
): CassandraCapabilities {
  const { conditions, durability, maxValueBytes } = settings
  return Object.freeze({
    ...always,
    conditionalWrite: conditions,
    touch: conditions,
    maxValueBytes,
    durability,
    isolation: conditions ? 'linearizable' : 'eventual',
    consistency: consistencyOf(settings),
  })
}
