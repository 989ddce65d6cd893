import type { Capabilities, DeclaredBy } from '@unikv/core'

/** The failures that acknowledged writes survive, as the operator states. */
export type HbaseDurability = 'buffered' | 'replicated'

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: true,
  increment: false,
  batch: { atomicity: 'none', maxItems: 500, maxBytes: 8_388_608, coalesce: { min: 2, max: 64 } },
  // Keys stand in addresses, three characters a byte, and the gateway takes 64 KiB of headers.
  maxKeyBytes: 16_384,
  // A row lies with one region server, which gives its cells an order. That order is by its wall clock: see the README for clocks that
  // go back.
  isolation: 'linearizable',
  consistency: ['strong'],
  evicts: false,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of the HBase store. */
export interface HbaseCapabilities<D extends HbaseDurability = HbaseDurability>
  extends DeclaredBy<typeof always> {
  readonly durability: D
}

/** The capabilities that the options declare. */
export function capabilitiesOf<D extends HbaseDurability>(
  durability: D,
  maxValueBytes: number,
): HbaseCapabilities<D> {
  return { ...always, durability, maxValueBytes }
}
