import { crc32 } from 'node:zlib'
import { type Bytes, StoreError } from '@unikv/core'
import { DeltaWriter } from './delta-writer.ts'
import { maxLength, minCopyBytes } from './format.ts'
import { Comparable, matchBackward, matchForward } from './match-length.ts'
import { scan } from './scan.ts'

/** How bytes are compared. */
export interface DiffOptions {
  /**
   * Shortest part that is found again wherever it stands in the base, in bytes, 4 to 1,024. What did not move is found
   * from 4 bytes on.
   *
   * @default 16, and 32 for a base of 16 KiB and more
   */
  readonly windowSize?: number | undefined
  /**
   * Every how many bytes the base is indexed: parts of `windowSize + step - 1` bytes are found for certain. More than
   * 4,194,304 places are never kept.
   *
   * @default half of windowSize
   */
  readonly step?: number | undefined
}

const smallBytes = 16_384

/**
 * What turns `base` into `target`: copies of parts of the base, and inserted bytes. The same arguments always give the
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
  const end = target.length - (suffix >= 8 ? suffix : 0)
  scan(from, to, writer, { windowSize, step, end })
  if (end < target.length) writer.copy(base.length - suffix, end, suffix)
  return writer.finish()
}

function settingsOf({ windowSize, step }: DiffOptions, baseLength: number) {
  const window = windowSize ?? (baseLength < smallBytes ? 16 : 32)
  if (!Number.isInteger(window) || window < 4 || window > 1024)
    throw new StoreError('INVALID_CONFIG', 'windowSize must be a whole number of bytes from 4 to 1,024.')
  const every = step ?? Math.max(1, window >> 1)
  if (!Number.isInteger(every) || every < 1 || every > 65_536)
    throw new StoreError('INVALID_CONFIG', 'step must be a whole number of bytes from 1 to 65,536.')
  return { windowSize: window, step: every }
}

function checkBytes(value: unknown, what: string): asserts value is Bytes {
  if (!(value instanceof Uint8Array))
    throw new StoreError('INVALID_VALUE', `The ${what} must be bytes (Uint8Array).`)
  if (value.length <= maxLength) return
  const message = `The ${what} has ${value.length} bytes; a delta can tell of ${maxLength}.`
  throw new StoreError('VALUE_TOO_LARGE', message)
}
