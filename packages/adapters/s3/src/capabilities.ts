import type { Capabilities, DeclaredBy } from '@unikv/core'
import { maxKeyBytes } from './object-name.ts'

/** The failures that an acknowledged write survives. */
export type S3Durability = Capabilities['durability']

const always = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'indexed' },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1_000 },
  touch: false,
  increment: false,
  // One DeleteObjects takes a thousand objects.
  batch: { atomicity: 'none', maxItems: 1_000, maxBytes: 67_108_864, coalesce: false },
  maxKeyBytes,
  isolation: 'linearizable',
  consistency: ['strong'],
  evicts: false,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Capabilities of this store. */
export interface S3Capabilities<D extends S3Durability = S3Durability> extends DeclaredBy<typeof always> {
  readonly durability: D
}

/** Capabilities that follow the options. */
export function capabilitiesOf<D extends S3Durability>(
  durability: D,
  maxValueBytes: number,
): S3Capabilities<D> {
  return Object.freeze({ ...always, durability, maxValueBytes })
}
