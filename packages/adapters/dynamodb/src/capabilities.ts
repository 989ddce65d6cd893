import type { Capabilities } from '@unikv/core'
import { maxKeyBytes, maxValueBytes } from './item.ts'

/** Capabilities of this store. `D`: values are documents. */
export interface DynamodbCapabilities<D extends boolean = boolean> extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'at-least-once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly touch: true
  readonly increment: D extends true ? false : true
  readonly batch: {
    readonly atomicity: 'none'
    readonly maxItems: number
    readonly maxBytes: number
    readonly coalesce: { readonly min: number; readonly max: number }
  }
  readonly durability: 'replicated'
  readonly isolation: 'linearizable'
  readonly consistency: readonly ['strong', 'eventual']
  readonly evicts: false
  readonly sealed: false
  readonly documents: D
  readonly sync: 'none'
}

/** Items that one BatchGetItem takes. */
export const mostReads = 100
/** Items that one BatchWriteItem takes. */
export const mostWrites = 25

/** Capabilities for bytes or documents. */
export function capabilitiesOf<D extends boolean>(documents: D): DynamodbCapabilities<D> {
  return Object.freeze<DynamodbCapabilities<D>>({
    scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'native', precisionMs: 1 },
    touch: true,
    increment: !documents as DynamodbCapabilities<D>['increment'],
    batch: {
      atomicity: 'none',
      maxItems: mostReads,
      maxBytes: 16 * 1024 * 1024,
      coalesce: { min: 4, max: mostWrites },
    },
    maxKeyBytes,
    maxValueBytes,
    durability: 'replicated',
    isolation: 'linearizable',
    consistency: ['strong', 'eventual'],
    evicts: false,
    sealed: false,
    documents,
    sync: 'none',
  })
}
