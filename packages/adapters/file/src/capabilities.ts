import type { Capabilities } from '@unikv/core'
import { maxValueBytes } from './disk/read-file.ts'
import { maxKeyBytes } from './key-name.ts'
import type { FileOptions } from './options.ts'

/** Capabilities of the file store, by its options. */
export interface FileCapabilities<O extends FileOptions = FileOptions> extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly touch: true
  readonly increment: true
  readonly existed: true
  readonly durability: DurabilityOf<O>
  readonly evicts: false
  readonly sealed: false
  readonly documents: false
  readonly sync: O extends { readonly sync: true } ? 'all' : 'none'
}

/** The durability of options; either, if they do not tell. */
type DurabilityOf<O extends FileOptions> = O extends {
  readonly durability: infer D extends 'flushed' | 'buffered'
}
  ? D
  : 'durability' extends keyof O
    ? 'flushed' | 'buffered'
    : 'flushed'

/** The capabilities with these settings. */
export function capabilitiesOf(durability: 'flushed' | 'buffered', sync: 'all' | 'none'): Capabilities {
  return {
    scan: { order: 'none', delivery: 'once', prefix: 'filtered' },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: true,
    existed: true,
    batch: { atomicity: 'none', maxItems: 1_000, maxBytes: 67_108_864, coalesce: false },
    maxKeyBytes,
    maxValueBytes,
    durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents: false,
    sync,
  }
}
