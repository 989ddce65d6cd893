import type { Capabilities } from '@unikv/core'
import { maxKeyBytes } from './object-name.ts'

/** The failures that an acknowledged write survives. */
export type S3Durability = Capabilities['durability']

/** Capabilities of this store. */
export interface S3Capabilities<D extends S3Durability = S3Durability> extends Capabilities {
  readonly scan: { readonly order: 'bytes'; readonly delivery: 'once'; readonly prefix: 'indexed' }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1_000 }
  readonly touch: false
  readonly increment: false
  readonly batch: {
    readonly atomicity: 'none'
    readonly maxItems: number
    readonly maxBytes: number
    readonly coalesce: false
  }
  readonly durability: D
  readonly isolation: 'linearizable'
  readonly consistency: readonly ['strong']
  readonly evicts: false
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** Objects that one DeleteObjects takes. */
const maxDeletes = 1_000

/** Capabilities that follow the options. */
export function capabilitiesOf<D extends S3Durability>(
  durability: D,
  maxValueBytes: number,
): S3Capabilities<D> {
  return Object.freeze<S3Capabilities<D>>({
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed' },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1_000 },
    touch: false,
    increment: false,
    batch: { atomicity: 'none', maxItems: maxDeletes, maxBytes: 64 * 1024 * 1024, coalesce: false },
    maxKeyBytes,
    maxValueBytes,
    durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents: false,
    sync: 'none',
  })
}
