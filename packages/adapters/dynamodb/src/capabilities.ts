import type { Capabilities, DeclaredBy } from '@unikv/core'
import { maxKeyBytes, maxValueBytes } from './item.ts'

/** Items that one BatchGetItem takes. */
export const mostReads = 100
/** Items that one BatchWriteItem takes. */
export const mostWrites = 25

const always = {
  scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'native', precisionMs: 1 },
  touch: true,
  batch: {
    atomicity: 'none',
    maxItems: mostReads,
    maxBytes: 16_777_216,
    coalesce: { min: 4, max: mostWrites },
  },
  maxKeyBytes,
  maxValueBytes,
  durability: 'replicated',
  isolation: 'linearizable',
  consistency: ['strong', 'eventual'],
  evicts: false,
  sealed: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of this store. `D`: values are documents. */
export interface DynamodbCapabilities<D extends boolean = boolean> extends DeclaredBy<typeof always> {
  readonly increment: D extends true ? false : true
  readonly documents: D
}

/** Capabilities for bytes or documents. */
export function capabilitiesOf<D extends boolean>(documents: D): DynamodbCapabilities<D> {
  const increment = !documents as DynamodbCapabilities<D>['increment']
  return Object.freeze({ ...always, increment, documents })
}
