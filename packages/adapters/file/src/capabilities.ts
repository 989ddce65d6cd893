import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { Chosen } from '@unikv/core/adapter'
import { maxValueBytes } from './disk/read-file.ts'
import { maxKeyBytes } from './key-name.ts'
import type { FileOptions } from './options.ts'

const always = {
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
  isolation: 'linearizable',
  consistency: ['strong'],
  evicts: false,
  sealed: false,
  documents: false,
} as const satisfies Partial<Capabilities>

/** Capabilities of the file store, by its options. */
export interface FileCapabilities<O extends FileOptions = FileOptions> extends DeclaredBy<typeof always> {
  readonly durability: Chosen<O, 'durability', 'flushed' | 'buffered', 'flushed'>
  readonly sync: O extends { readonly sync: true } ? 'all' : 'none'
}

/** The capabilities with these settings. */
export function capabilitiesOf(durability: 'flushed' | 'buffered', sync: 'all' | 'none'): Capabilities {
  return { ...always, durability, sync }
}
