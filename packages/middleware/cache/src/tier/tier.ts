import type { CallOptions, Version } from '@unikv/core'
import type { Failure } from '../loads/answer.ts'
import type { Flight } from '../loads/flight.ts'
import type { CacheRecord } from './cache-record.ts'
import type { Slot } from './slot.ts'
import type { TierWait } from './tier-wait.ts'

/** The right to fill a key. */
export interface Claim {
  /** Version of the lease; `undefined` where there are no leases. */
  readonly version: Version | undefined
  /** Stamp of the tags of the key before; absent if it has no tags. */
  readonly stamp?: string | undefined
}

/** A key that somebody wants to load and fill. */
export interface Wanted {
  readonly flight: Flight
  readonly slot: Slot
  /** The part of the former record that a lease keeps. */
  readonly former: CacheRecord | undefined
}

/** A key with the right to fill it. */
export interface Claimed {
  readonly wanted: Wanted
  readonly claim: Claim
}

/** A record for a key that was claimed. */
export interface Fill {
  readonly flight: Flight
  readonly claim: Claim
  readonly record: CacheRecord
}

/** The mark that replaces a record while its key is written. */
export interface Mark {
  readonly version: Version
  /** Until when it stands unless it is removed, by the wall clock. */
  readonly until: number
  /** Whether its writer may fill. */
  readonly fills: boolean
}

/** Keys that a write is about to change, with their marks (`undefined` where there are none). */
export type Marks = ReadonlyMap<string, Mark | undefined>

/** The outcome for the keys of a write that has ended. */
export interface Unmarked {
  /** Versions of the records that were filled. */
  readonly filled: ReadonlyMap<string, Version>
  /** Keys at which something may lie from before the write, as far as is known. */
  readonly unsure: ReadonlySet<string>
}

/** The records of a cache in its store, with or without leases. Nothing here rejects. */
export interface Tier {
  /** Whether fills show that no process has written since they were claimed. */
  readonly certifies: boolean
  /** The content of these keys. Records that cannot be trusted count as absent. */
  find(
    keys: readonly string[],
    wait: TierWait,
    known?: readonly (Version | undefined)[],
  ): Promise<readonly (Slot | Failure)[]>
  /** Ask for the right to fill: `'held'` if somebody else was faster, `undefined` if it is not to be had. */
  claim(
    wanted: readonly Wanted[],
    load: CallOptions,
    wait: TierWait,
  ): Promise<readonly (Claim | 'held' | undefined)[]>
  /** Put records in place, as far as nothing has overtaken them. Answers the versions of those that are. */
  fill(fills: readonly Fill[], wait: TierWait): Promise<readonly (Version | undefined)[]>
  /** Give back what was claimed and is not filled, with what lay there before. Answers whose leases were still good. */
  release(claims: readonly Claimed[], wait: TierWait): Promise<readonly boolean[]>
  /**
   * Void what lies at these keys, as a write begins. Answers those for which that was done. `fillable`: those whose marks
   * may be replaced by what is written.
   */
  mark(
    keys: readonly string[],
    call: CallOptions,
    fillable: ReadonlySet<string>,
    wait: TierWait,
  ): Promise<Marks>
  /**
   * Remove what lies at these keys, as a write has ended; afterwards it is gone, or suspect. Where the mark still stands
   * the fill replaces it.
   */
  unmark(
    keys: readonly string[],
    marks: Marks,
    fills: ReadonlyMap<string, CacheRecord>,
    wait: TierWait,
  ): Promise<Unmarked>
  /** Void what lies at all keys that start with one of these. Whether that is known to be done. */
  clear(prefixes: readonly string[], wait: TierWait): Promise<boolean>
  close(): Promise<void>
}
