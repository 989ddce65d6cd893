import { type Capabilities, StoreError } from '@unikv/core'
import {
  background,
  flag,
  keyBytes,
  type LeftoverCounts,
  type OptionsOf,
  ownClock,
  readOptions,
  type SettingsOf,
  whole,
} from '@unikv/core/adapter'
import { partHeaderBytes, wholeHeaderBytes } from './format.ts'
import { partKeyExtraBytes } from './keys.ts'

/** Longest part, and longest value in memory: what a buffer of every runtime can hold. */
const mostBytes = 2 ** 30

const table = {
  /** Values of more bytes than this are kept in parts. @default 1 Mi, or what the store takes if that is less */
  above: whole(1_048_576, 1, mostBytes),
  /** Bytes of each part. A stream holds a few of them in memory. @default 1 Mi, or what the store takes if that is less */
  size: whole(1_048_576, 1, mostBytes),
  /** Longest value that is read or written as one, in bytes; longer ones need `readStream` and `writeStream`. @default 64 Mi */
  maxValueBytes: whole(67_108_864, 1, mostBytes),
  /**
   * Whether a `set` of a short value looks first whether it replaces one in parts, which it then removes. `false`: those parts are
   * left to `sweepParts`.
   *
   * @default true
   */
  readBeforeWrite: flag(true),
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

/** Settings of the layer. */
export interface PartsOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type PartsSettings = SettingsOf<typeof table>

/** @throws {StoreError} `INVALID_CONFIG` */
export function settingsOf(options: PartsOptions): PartsSettings {
  return readOptions('parts', table, options)
}

/** The sizes that hold over one store. */
export interface Sizes {
  readonly above: number
  readonly size: number
  readonly maxValueBytes: number
  readonly maxKeyBytes: number
  /** Longest value that the store takes in one record. */
  readonly mostWhole: number
}

/** The settings, as far as the store below takes them. */
export function sizesOver(
  { maxValueBytes: most, maxKeyBytes }: Capabilities,
  settings: PartsSettings,
): Sizes {
  return {
    above: Math.max(0, Math.min(settings.above, most - wholeHeaderBytes)),
    size: Math.max(1, Math.min(settings.size, most - partHeaderBytes)),
    maxValueBytes: settings.maxValueBytes,
    maxKeyBytes,
    mostWhole: Math.max(0, most - wholeHeaderBytes),
  }
}

/** Longest value of this key that is kept whole: one whose key leaves no room for those of parts is, as far as the store takes it. */
export function aboveFor(owner: string, sizes: Sizes): number {
  return longKey(owner, sizes) === undefined ? sizes.above : sizes.mostWhole
}

/** Refuse a key that leaves no room for the keys of parts. */
export function longKey(owner: string, { maxKeyBytes, above }: Sizes): StoreError | undefined {
  const most = maxKeyBytes - partKeyExtraBytes
  if (keyBytes(owner) <= most) return undefined
  const message = `A value of more than ${above} bytes is kept in parts, whose keys are ${partKeyExtraBytes} bytes longer: its own may have ${most}, and has ${keyBytes(owner)}.`
  return new StoreError('KEY_TOO_LONG', message)
}

/** Statistics of the layer in one stack since its start. */
export interface PartsStats {
  /** Name of the store below. */
  readonly store: string
  /** Values that were written in parts. */
  readonly split: number
  /** Reads that began anew, because the value was replaced while its parts were fetched. */
  readonly overtaken: number
  /** Old parts that were removed, and those that could not be: they are left to `sweepParts`. */
  readonly partsRemoved: number
  readonly partsLeft: number
}

/** Counted as it happens. */
export interface Counts extends LeftoverCounts {
  split: number
  overtaken: number
}
