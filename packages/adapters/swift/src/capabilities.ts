import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { SwiftDurability, SwiftSettings } from './options.ts'

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
  // Swift does take `If-None-Match: *`, but looks before it writes: of sixteen creators of one object up to sixteen are told that they
  // made it, so it is not a condition. `If-Match` it ignores.
  conditionalWrite: false,
  conditionalRead: true,
  ttl: { kind: 'native', precisionMs: 1_000 },
  touch: true,
  increment: false,
  batch: { atomicity: 'none', maxItems: 256, maxBytes: 67_108_864, coalesce: false },
  isolation: 'eventual',
  consistency: ['newest'],
  evicts: false,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the Swift store. The type parameter comes from its options. */
export interface SwiftCapabilities<Durability extends SwiftDurability = SwiftDurability>
  extends DeclaredBy<typeof always> {
  readonly durability: Durability
}

/** The capabilities with these settings. */
export function capabilitiesOf({ durability, maxKeyBytes, maxValueBytes }: SwiftSettings): SwiftCapabilities {
  return Object.freeze({ ...always, maxKeyBytes, maxValueBytes, durability })
}
