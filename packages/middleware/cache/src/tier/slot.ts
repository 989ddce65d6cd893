import type { Version } from '@unikv/core'
import type { CacheRecord } from './cache-record.ts'
import type { Seen } from './seen.ts'

/** The content of a key of the cache store. */
export interface Slot {
  /** `undefined`: nothing, or nothing that can be trusted. */
  readonly record: CacheRecord | undefined
  /** Version of the record in the cache store; `null`: there is none. */
  readonly version: Version | null | undefined
  /** The record is still the one whose version was told; it was not sent. */
  readonly unchanged?: boolean
  /** State of the tags of the key at the same time, where keys have tags. */
  readonly seen?: Seen | undefined
}

/** The slot of a key that is not looked at. */
export const untouched: Slot = Object.freeze({ record: undefined, version: undefined })
