import type { Capabilities } from '@unikv/core'
import type { LmdbOptions } from './options.ts'

/** Capabilities of the LMDB store, by its options. */
export interface LmdbCapabilities<O extends LmdbOptions = LmdbOptions> extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
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
  readonly sync: SyncOf<O>
}

/** Which verbs answer at once; either, if the options do not tell. */
type SyncOf<O extends LmdbOptions> = O extends { readonly sync: infer S extends boolean }
  ? S extends true
    ? 'all'
    : 'reads'
  : 'sync' extends keyof O
    ? 'all' | 'reads'
    : 'reads'

/** The durability of options; either, if they do not tell. */
type DurabilityOf<O extends LmdbOptions> = O extends {
  readonly durability: infer D extends 'flushed' | 'buffered'
}
  ? D
  : 'durability' extends keyof O
    ? 'flushed' | 'buffered'
    : 'flushed'

/** The capabilities with these settings. */
export function capabilitiesOf(durability: 'flushed' | 'buffered', sync: 'all' | 'reads'): Capabilities {
  return {
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: true,
    existed: true,
    batch: { atomicity: 'all', maxItems: 100_000, maxBytes: 268_435_456, coalesce: false },
    maxKeyBytes: 1_978,
    maxValueBytes: 1_073_741_824,
    durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents: false,
    sync,
  }
}
