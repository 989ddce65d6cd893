import {
  background,
  flag,
  type OptionsOf,
  ownClock,
  positive,
  readOptions,
  type SettingsOf,
  whole,
} from '@unikv/core/adapter'
import { mostDeltas, mostReplayBytes } from './chain/formats.ts'

/** Longest value that a delta can tell of. */
const mostOutputBytes = 2 ** 30 - 1

const table = {
  /** Values shorter than this are always written whole. @default 1024 */
  minBytes: whole(1024, 0),
  /** Most deltas in a row, 1 to 1,024; then the value is written whole again, as a base. @default 32 */
  maxDeltas: whole(32, 1, mostDeltas),
  /** A delta is written if it is at most this share of its value, above 0 and at most 1. @default 0.5 */
  maxDeltaShare: positive(0.5, 1),
  /** The deltas of a base take at most this share of its bytes, above 0. @default 0.5 */
  maxChainShare: positive(0.5),
  /**
   * A base has deltas as long as all values in between have at most this many bytes together: it bounds the work of
   * a reader who knows none of them. Longer values are always written whole. 268,435,456 at most.
   *
   * @default 16 Mi
   */
  maxReplayBytes: whole(16_777_216, 1, mostReplayBytes),
  /** Most bytes of deltas in the head; what is more moves to a record of its own, all at once. @default 4096 */
  inlineBytes: whole(4096, 0),
  /** Bytes of known values in this process, over all keys, for each stack; 0: none. @default 32 Mi */
  memoryBytes: whole(33_554_432, 0),
  /**
   * Whether a `set` of a key that is not in memory reads it first, to write a delta. Without it such a `set` writes the
   * value whole, and leaves the parts of what was there to `sweepDeltas`.
   *
   * @default false
   */
  readBeforeWrite: flag(false),
  /** Longest value, written or read: what a small record can grow to in memory. @default 64 Mi */
  maxOutputBytes: whole(67_108_864, 1, mostOutputBytes),
  /**
   * Take records that this layer did not write for values: for data that was there before it. Off, they are `CORRUPT`.
   *
   * @default false
   */
  acceptPlain: flag(false),
  /** Takes the removal of old parts, which goes on after the answer: `waitUntil` of a serverless platform. It never rejects. */
  background: background(() => {}),
  /** Wall clock in milliseconds. @default Date.now */
  clock: ownClock(),
}

/** Settings of the delta layer. */
export interface DeltaOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type DeltaSettings = SettingsOf<typeof table>

/** @throws {StoreError} `INVALID_CONFIG` */
export function settingsOf(options: DeltaOptions): DeltaSettings {
  return readOptions('delta', table, options)
}
