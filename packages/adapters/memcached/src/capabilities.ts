import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { MemcachedSettings } from './options.ts'

const always = {
  scan: false,
  conditionalWrite: true,
  conditionalRead: false,
  ttl: { kind: 'native', precisionMs: 1 },
  touch: false,
  increment: false,
  batch: { atomicity: 'none', maxItems: 1_000, maxBytes: 8_388_608, coalesce: { min: 2, max: 32 } },
  maxKeyBytes: 180,
  durability: 'memory',
  // A key lives on one server, which is asked for it alone.
  isolation: 'linearizable',
  consistency: ['strong'],
  evicts: true,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the memcached store. */
export interface MemcachedCapabilities extends DeclaredBy<typeof always> {}

/** The capabilities with these settings. */
export function capabilitiesOf({ maxValueBytes }: MemcachedSettings): MemcachedCapabilities {
  return Object.freeze({ ...always, maxValueBytes })
}
