import { crc32 } from 'node:zlib'
import { type Bytes, StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { DeltaWriter } from './delta-writer.ts'
import { maxLength, minCopyBytes } from './format.ts'
import { Comparable, matchBackward, matchForward } from './match-length.ts'
import { Scanner, type ScanSettings } from './scan.ts'

/** How bytes are compared. */
export interface DiffOptions {
  /**
   * Shortest part that is found again wherever it stands in the base, in bytes, 4 to 1,024. Parts that did not move are
   * found from 4 bytes on.
   *
   * @default 12, and 24 for a base of 16 KiB and more
   */
  readonly windowSize?: number | undefined
  /**
   * Every how many bytes the base is indexed, 1 to 1,024: of parts of `windowSize + step - 1` bytes most are found, the
   * others if they are longer by some steps. No more than 1,048,576 places are kept, so of a base over 8 MiB fewer.
   *
   * @default a third of `windowSize`
   */
  readonly step?: number | undefined
}

/** Below, places are cheap and edits are short. */
const smallBytes = 16_384

/** A common end shorter than this is found as any other part is. */
const minSuffixBytes = 8

const optionNames: OptionNames<DiffOptions> = { windowSize: true, step: true }

/**
 * The delta that turns `base` into `target`: copies of parts of the base, and inserted bytes. The same arguments always give the
 * same delta. It is never longer than the target and 20 bytes.
 *
 * ```ts
 * const delta = diff(before, after)
 * patch(before, delta)                     // after
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`, `INVALID_VALUE`, `VALUE_TOO_LARGE` for a base or target of 1 GiB and more
 */
export function diff(base: Bytes, target: Bytes, options: DiffOptions = {}): Bytes {
  checkFactoryOptions('diff', options, optionNames)
  checkBytes(base, 'base')
  checkBytes(target, 'target')
  const { windowSize, step } = settingsOf(options, base.length)
  const from = new Comparable(base)
  const to = new Comparable(target)
  const writer = new DeltaWriter(to.bytes, {
    targetLength: target.length,
    baseLength: base.length,
    checksum: crc32(target),
  })
  const shorter = Math.min(base.length, target.length)
  const prefix = matchForward(to, 0, from, 0, shorter)
  if (prefix >= minCopyBytes) writer.copy(0, 0, prefix)
  const suffix = matchBackward(to, target.length, from, base.length, shorter - prefix)
  const end = target.length - (suffix < minSuffixBytes ? 0 : suffix)
  new Scanner(from, to, writer, { windowSize, step, end }).run()
  if (end < target.length) writer.copy(base.length - suffix, end, suffix)
  return writer.finish()
}

type Settings = Pick<ScanSettings, 'windowSize' | 'step'>

/** The settings for a base of this length. */
function settingsOf(options: DiffOptions, baseLength: number): Settings {
  const { windowSize = baseLength < smallBytes ? 12 : 24 } = options
  checkSize('windowSize', windowSize, 4)
  const { step = Math.floor(windowSize / 3) } = options
  checkSize('step', step, 1)
  return { windowSize, step }
}

function checkSize(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least && value <= 1024) return
  throw new StoreError('INVALID_CONFIG', `${name} must be a whole number of bytes from ${least} to 1,024.`)
}

function checkBytes(value: unknown, what: string): asserts value is Bytes {
  if (!isBytes(value)) throw new StoreError('INVALID_VALUE', `The ${what} must be bytes (Uint8Array).`)
  if (value.length <= maxLength) return
  const message = `The ${what} has ${value.length} bytes; a delta can describe ${maxLength}.`
  throw new StoreError('VALUE_TOO_LARGE', message)
}
