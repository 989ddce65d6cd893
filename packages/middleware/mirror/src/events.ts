import type { ErrorCode } from '@unikv/core'

/** Statistics of a mirror since it was created: plain numbers, without keys. */
export interface MirrorStats {
  /** Mutations that took effect in the primary. */
  readonly writes: number
  /** Writes of these that reached the secondary at once. The others were owed to it first. */
  readonly mirrored: number
  /** Repairs after which a key was equal in both. */
  readonly repairs: number
  /** Repairs that failed; they are tried again. */
  readonly failedRepairs: number
  /** Mirrored writes that the secondary refused or did not acknowledge in time. */
  readonly secondaryFailures: number
  /** Mutations of unknown outcome in the primary. */
  readonly unknownOutcomes: number
  /** Calls of the durable journal that failed, or items of them. */
  readonly journalErrors: number
  /** How often a key found no room in memory, so that its mark waits in the journal. */
  readonly spilled: number
  /** Keys that are owed to the secondary now, without those whose marks wait in the journal. */
  readonly dirty: number
  /** Whether marks wait in the journal for room in memory: then more keys are owed than `dirty` says. */
  readonly marksWait: boolean
  /** Whether keys were lost from the journal because there were too many: call `resync()`. */
  readonly mustResync: boolean
  /** Whether the secondary failed when it was last asked. */
  readonly secondaryFails: boolean
}

/** The events of a mirror. They never hold a key. */
export type MirrorEvent =
  /** A key became owed, by a failure (`code`) or since its record has to be read first. */
  | { readonly type: 'owed'; readonly dirty: number; readonly code: ErrorCode | undefined }
  /** A repair ended. */
  | { readonly type: 'repair'; readonly dirty: number; readonly code: ErrorCode | undefined }
  /** The journal was full and keys were lost from it. Loud on purpose: call `resync()`. */
  | { readonly type: 'must resync' }
  /** `resync()` has gone through both stores. */
  | { readonly type: 'resynced' }
  /** The durable journal failed. */
  | { readonly type: 'journal failed'; readonly code: ErrorCode }
  /** The mirror was closed, and this many keys are still owed. */
  | { readonly type: 'closed'; readonly dirty: number }

/** The counters behind `MirrorStats`. */
export type Counters = {
  -readonly [K in Exclude<keyof MirrorStats, 'dirty' | 'marksWait' | 'mustResync' | 'secondaryFails'>]: number
}

/** Counters at 0. */
export function newCounters(): Counters {
  return {
    writes: 0,
    mirrored: 0,
    repairs: 0,
    failedRepairs: 0,
    secondaryFailures: 0,
    unknownOutcomes: 0,
    journalErrors: 0,
    spilled: 0,
  }
}
