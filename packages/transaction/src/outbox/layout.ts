import { isEntry, isStoreError, type ReadResult, StoreError, type Version } from '@unikv/core'

/*
 * The records of an outbox.
 *
 *   lanes           how many lanes it has, for ever: a key must not change its lane
 *   lane 3          the newest number of a lane. A transaction that publishes replaces it, so numbers have no gaps, and none is
 *                   committed after a later one
 *   message 3 17    a message that was not handed on yet
 *   claim 3         the relay that hands on the messages of the lane, and its progress
 */

/** The number of lanes. */
export interface Lanes {
  readonly lanes: number
}

/** The newest number of a lane. */
export interface Head {
  readonly last: number
}

/** The progress of a lane, and the relay that works on it. */
export interface Claim {
  /** Id of the relay; absent: none. */
  readonly by?: string | undefined
  /** Numbers up to this one were read. */
  readonly readTo: number
  /** Numbers up to `readTo` that may still be there, in their order. */
  readonly waiting: readonly number[]
  /** Attempts that failed, by number. */
  readonly failed: Readonly<Record<string, number>>
}

/** A message as it is stored. */
export interface StoredMessage {
  readonly id: string
  readonly topic: string
  /** Absent: it has no order. */
  readonly key?: string | undefined
  readonly value: unknown
  /** Wall-clock time of the publisher, in milliseconds since 1970. */
  readonly publishedAt: number
}

/** A record that was found. */
export interface Found<T> {
  readonly value: T
  readonly version: Version
}

/** The keys of the records. */
export const keyOf: {
  readonly lanes: string
  readonly head: (lane: number) => string
  readonly claim: (lane: number) => string
  readonly message: (lane: number, number: number) => string
} = {
  lanes: 'lanes',
  head: (lane) => `lane ${lane}`,
  claim: (lane) => `claim ${lane}`,
  message: (lane, number) => `message ${lane} ${number}`,
}

/** The claim of a lane that no relay has worked on. */
export const noClaim: Claim = { readTo: 0, waiting: [], failed: {} }

/** The lane of a key: the same in every process. */
export function laneOf(key: string, lanes: number): number {
  // FNV-1a over the UTF-16 units.
  let hash = 0x81_1c_9d_c5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01_00_01_93)
  // Its low bits alone follow those of the last unit too closely.
  return ((hash ^ (hash >>> 15)) >>> 0) % lanes
}

/**
 * The record in an answer; `undefined`: there is none.
 *
 * @throws {StoreError} the error of the store
 */
export function foundIn<T>(result: ReadResult<unknown>): Found<T> | undefined {
  if (isStoreError(result)) throw result
  if (!isEntry(result)) return undefined
  const { value, version } = result
  if (typeof value !== 'object' || value === null || version === undefined)
    throw new StoreError(
      'CORRUPT',
      'A record of the outbox has an unknown form. Give it a namespace of its own.',
    )
  return { value: value as T, version }
}
