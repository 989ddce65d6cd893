import {
  checkFactoryOptions,
  checkPositive,
  invalidConfig,
  type OptionNames,
  unfailing,
} from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { ChainLimits } from './chain/extend.ts'
import { mostDeltas, mostReplayBytes } from './chain/formats.ts'

/** Longest value that a delta can tell of. */
const mostOutputBytes = 2 ** 30 - 1

/** Settings of the delta layer. */
export interface DeltaOptions {
  /** Values shorter than this are always written whole. @default 1024 */
  readonly minBytes?: number | undefined
  /** Most deltas in a row, 1 to 1,024; then the value is written whole again, as a base. @default 32 */
  readonly maxDeltas?: number | undefined
  /** A delta is written if it is at most this share of its value, above 0 and at most 1. @default 0.5 */
  readonly maxDeltaShare?: number | undefined
  /** The deltas of a base take at most this share of its bytes, above 0. @default 0.5 */
  readonly maxChainShare?: number | undefined
  /**
   * A base has deltas as long as all values in between have at most this many bytes together: it bounds the work of
   * a reader who knows none of them. Longer values are always written whole. 268,435,456 at most.
   *
   * @default 16 Mi
   */
  readonly maxReplayBytes?: number | undefined
  /** Most bytes of deltas in the head; what is more moves to a record of its own, all at once. @default 4096 */
  readonly inlineBytes?: number | undefined
  /** Bytes of known values in this process, over all keys, for each stack; 0: none. @default 32 Mi */
  readonly memoryBytes?: number | undefined
  /**
   * Whether a `set` of a key that is not in memory reads it first, to write a delta. Without it such a `set` writes the
   * value whole, and leaves the parts of what was there to `sweepDeltas`.
   *
   * @default false
   */
  readonly readBeforeWrite?: boolean | undefined
  /** Longest value, written or read: what a small record can grow to in memory. @default 64 Mi */
  readonly maxOutputBytes?: number | undefined
  /**
   * Take records that this layer did not write for values: for data that was there before it. Off, they are `CORRUPT`.
   *
   * @default false
   */
  readonly acceptPlain?: boolean | undefined
  /** Takes the removal of old parts, which goes on after the answer: `waitUntil` of a serverless platform. It never rejects. */
  readonly background?: ((work: Promise<unknown>) => unknown) | undefined
  /** Wall clock in milliseconds. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/** Options with their defaults, checked. */
export interface DeltaSettings extends ChainLimits {
  readonly minBytes: number
  readonly maxDeltaShare: number
  readonly memoryBytes: number
  readonly readBeforeWrite: boolean
  readonly maxOutputBytes: number
  readonly acceptPlain: boolean
  readonly background: (work: Promise<unknown>) => unknown
  readonly clock: () => number
}

const optionNames: OptionNames<DeltaOptions> = {
  minBytes: true,
  maxDeltas: true,
  maxDeltaShare: true,
  maxChainShare: true,
  maxReplayBytes: true,
  inlineBytes: true,
  memoryBytes: true,
  readBeforeWrite: true,
  maxOutputBytes: true,
  acceptPlain: true,
  background: true,
  clock: true,
}

/** @throws {StoreError} `INVALID_CONFIG` */
export function settingsOf(options: DeltaOptions): DeltaSettings {
  checkFactoryOptions('delta', options, optionNames)
  const settings: DeltaSettings = {
    minBytes: options.minBytes ?? 1024,
    maxDeltas: options.maxDeltas ?? 32,
    maxDeltaShare: options.maxDeltaShare ?? 0.5,
    maxChainShare: options.maxChainShare ?? 0.5,
    maxReplayBytes: options.maxReplayBytes ?? 16_777_216,
    inlineBytes: options.inlineBytes ?? 4096,
    memoryBytes: options.memoryBytes ?? 33_554_432,
    readBeforeWrite: options.readBeforeWrite ?? false,
    maxOutputBytes: options.maxOutputBytes ?? 67_108_864,
    acceptPlain: options.acceptPlain ?? false,
    background: unfailing(options.background ?? (() => {})),
    clock: options.clock ?? wallClock,
  }
  check(settings)
  return settings
}

function check(settings: DeltaSettings): void {
  const { maxDeltas, maxReplayBytes, maxOutputBytes, minBytes, inlineBytes, memoryBytes } = settings
  checkPositive({ maxDeltas, maxReplayBytes, maxOutputBytes })
  checkAtMost({ maxDeltas }, mostDeltas)
  checkAtMost({ maxReplayBytes }, mostReplayBytes)
  checkAtMost({ maxOutputBytes }, mostOutputBytes)
  for (const [option, bytes] of Object.entries({ minBytes, inlineBytes, memoryBytes }))
    if (!(Number.isFinite(bytes) && bytes >= 0)) throw invalidConfig(`${option} must be a number of bytes.`)
  const { maxDeltaShare, maxChainShare, readBeforeWrite, acceptPlain, background, clock } = settings
  if (!(isAboveZero(maxDeltaShare) && maxDeltaShare <= 1))
    throw invalidConfig('maxDeltaShare must be a number above 0, and 1 at most.')
  if (!isAboveZero(maxChainShare)) throw invalidConfig('maxChainShare must be a number above 0.')
  for (const [option, value] of Object.entries({ readBeforeWrite, acceptPlain }))
    if (typeof value !== 'boolean') throw invalidConfig(`${option} must be true or false.`)
  if (typeof background !== 'function')
    throw invalidConfig('background must be a function that takes a promise.')
  if (typeof clock !== 'function') throw invalidConfig('clock must be a function that returns milliseconds.')
}

function isAboveZero(share: unknown): boolean {
  return typeof share === 'number' && share > 0
}

function checkAtMost(limits: Readonly<Record<string, number>>, most: number): void {
  for (const [option, value] of Object.entries(limits))
    if (value > most) throw invalidConfig(`${option} must be ${most} at most.`)
}
