import type { Capabilities } from '@unikv/core'
import type { SqliteOptions, SqliteSettings } from './options.ts'

/** Capabilities of the SQLite store, for its options. */
export interface SqliteCapabilities<O extends SqliteOptions = SqliteOptions> extends Capabilities {
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
  readonly find: DocumentsOf<O>
  readonly durability: DurabilityOf<O>
  readonly isolation: 'linearizable'
  readonly consistency: readonly ['strong']
  readonly evicts: false
  readonly sealed: false
  readonly documents: DocumentsOf<O>
  readonly sync: SyncOf<O>
}

/** The durability of options; either, if they do not tell. */
type DurabilityOf<O extends SqliteOptions> = O extends {
  readonly durability: infer D extends 'flushed' | 'buffered'
}
  ? D
  : 'durability' extends keyof O
    ? 'flushed' | 'buffered'
    : 'flushed'

/** Whether options ask for documents; either, if they do not tell. */
export type DocumentsOf<O extends SqliteOptions> = O extends {
  readonly values: infer V extends 'bytes' | 'document'
}
  ? V extends 'document'
    ? true
    : false
  : 'values' extends keyof O
    ? boolean
    : false

type SyncOf<O extends SqliteOptions> = O extends { readonly threads: infer T extends number }
  ? number extends T
    ? 'all' | 'none'
    : T extends 0
      ? 'all'
      : 'none'
  : 'threads' extends keyof O
    ? 'all' | 'none'
    : 'none'

/** The capabilities with these settings. */
export function capabilitiesOf({ file, threads }: SqliteSettings): Capabilities {
  return Object.freeze<Capabilities>({
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: true,
    existed: true,
    find: file.documents,
    // Calls that wait for a thread go to it together, each as a whole.
    batch: { atomicity: 'all', maxItems: 100_000, maxBytes: 268_435_456, coalesce: false },
    maxKeyBytes: 1_024,
    maxValueBytes: 268_435_456,
    durability: file.durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents: file.documents,
    sync: threads === 0 ? 'all' : 'none',
  })
}
