import type { Bytes } from '@unikv/core'
import { corrupt } from './corrupt.ts'
import { flags, has } from './flags.ts'
import type { PaddedLength } from './padding.ts'

/*
 * What an envelope has inside its ciphertext:
 *
 *   4   true length of the value
 *   4   length of the true key, and the key in UTF-8 (flag bit 6)
 *   …   the value
 *   …   padding, one zero byte or more (flag bit 3)
 */

/** Length of the true length in front of the value. */
export const trueLengthBytes = 4

/** The plaintext of a value, in parts that follow each other. */
export function plaintextOf(
  value: Bytes,
  padded: PaddedLength | undefined,
  trueKey: string | undefined,
): readonly Bytes[] {
  const start = Buffer.allocUnsafe(trueLengthBytes + trueKeyBytes(trueKey))
  start.writeUInt32BE(value.length)
  if (trueKey !== undefined) {
    start.writeUInt32BE(start.length - trueLengthBytes - 4, trueLengthBytes)
    start.write(trueKey, trueLengthBytes + 4)
  }
  if (padded === undefined) return [start, value]
  const content = start.length - trueLengthBytes + value.length
  return [start, value, Buffer.alloc(padded(content) - content)]
}

/** Bytes that a true key takes before the value. */
export function trueKeyBytes(trueKey: string | undefined): number {
  return trueKey === undefined ? 0 : 4 + Buffer.byteLength(trueKey)
}

/** Bytes of the plaintext of a value, and what stands before it, of that length together. */
export function plaintextBytes(contentBytes: number, padded: PaddedLength | undefined): number {
  return trueLengthBytes + (padded === undefined ? contentBytes : padded(contentBytes))
}

/**
 * The value of a plaintext, which is authentic by now.
 *
 * @throws {StoreError} `CORRUPT` if lengths do not agree: only a holder of the key can have made such a record
 */
export function valueOf(plaintext: Buffer, headerFlags: number): Buffer {
  const start = trueLengthBytes + (has(headerFlags, flags.trueKey) ? 4 + trueKeyLength(plaintext) : 0)
  const end = start + plaintext.readUInt32BE(0)
  if (end > plaintext.length) throw corrupt('tells a wrong length')
  checkPadding(plaintext.subarray(end), headerFlags)
  return plaintext.subarray(start, end)
}

/**
 * The true key of a plaintext that has one.
 *
 * @throws {StoreError} `CORRUPT` if it is no key: only a holder of the key can have made such a record
 */
export function trueKeyOf(plaintext: Buffer): string {
  const start = trueLengthBytes + 4
  const bytes = plaintext.subarray(start, start + trueKeyLength(plaintext))
  const key = bytes.toString()
  if (!Buffer.from(key).equals(bytes)) throw corrupt('tells a wrong key')
  return key
}

function trueKeyLength(plaintext: Buffer): number {
  const length = plaintext.length < trueLengthBytes + 4 ? -1 : plaintext.readUInt32BE(trueLengthBytes)
  if (length < 0 || trueLengthBytes + 4 + length > plaintext.length) throw corrupt('tells a wrong length')
  return length
}

/** Zeros where the header says so, and nothing where it does not. */
function checkPadding(padding: Buffer, headerFlags: number): void {
  if (has(headerFlags, flags.padded) !== padding.length > 0) throw corrupt('tells a wrong length')
  if (padding.length > 0 && !isZero(padding)) throw corrupt('has something in its padding')
}

/** Compared with itself, one byte further: as fast as memory. */
function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1))
}
