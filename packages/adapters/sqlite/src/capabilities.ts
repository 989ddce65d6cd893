import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { Chosen } from '@unikv/core/adapter'
import type { SqliteOptions, SqliteSettings } from './options.ts'

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: true,
  increment: true,
  existed: true,
  // Calls that wait for a thread go to it together, each as a whole.
  batch: { atomicity: 'all', maxItems: 100_000, maxBytes: 268_435_456, coalesce: false },
  maxKeyBytes: 1_024,
  maxValueBytes: 268_435_456,
  isolation: 'linearizable',
  consistency: ['strong'],
  evicts: false,
  sealed: false,
} as const satisfies Partial<Capabilities>

/** Capabilities of the SQLite store, for its options. */
export interface SqliteCapabilities<O extends SqliteOptions = SqliteOptions>
  extends DeclaredBy<typeof always> {
  readonly find: DocumentsOf<O>
  readonly durability: Chosen<O, 'durability', 'flushed' | 'buffered', 'flushed'>
  readonly documents: DocumentsOf<O>
  readonly sync: SyncOf<Chosen<O, 'threads', number, 1>>
}

/** Whether options ask for documents; either, if they do not tell. */
export type DocumentsOf<O extends SqliteOptions> =
  Chosen<O, 'values', 'bytes' | 'document', 'bytes'> extends infer V
    ? V extends 'document'
      ? true
      : false
    : never

type SyncOf<T extends number> = number extends T ? 'all' | 'none' : T extends 0 ? 'all' : 'none'

/** The capabilities with these settings. */
export function capabilitiesOf({ file, threads }: SqliteSettings): Capabilities {
  const { documents, durability } = file
  return Object.freeze<Capabilities>({
    ...always,
    durability,
    documents,
    find: documents,
    sync: threads === 0 ? 'all' : 'none',
  })
}
