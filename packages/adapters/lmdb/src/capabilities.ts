import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { Chosen } from '@unikv/core/adapter'
import type { LmdbOptions } from './options.ts'

const always = {
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
  isolation: 'linearizable',
  consistency: ['strong'],
  evicts: false,
  sealed: false,
  documents: false,
} as const satisfies Partial<Capabilities>

/** Capabilities of the LMDB store, by its options. */
export interface LmdbCapabilities<O extends LmdbOptions = LmdbOptions> extends DeclaredBy<typeof always> {
  readonly durability: Chosen<O, 'durability', 'flushed' | 'buffered', 'flushed'>
  readonly sync: SyncOf<Chosen<O, 'sync', boolean, false>>
}

/** Which verbs answer at once; either, if the options do not tell. */
type SyncOf<S extends boolean> = S extends true ? 'all' : 'reads'

/** The capabilities with these settings. */
export function capabilitiesOf(durability: 'flushed' | 'buffered', sync: 'all' | 'reads'): Capabilities {
  return { ...always, durability, sync }
}
