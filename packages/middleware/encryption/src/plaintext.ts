import type { Bytes } from '@unikv/core'
import { corrupt } from './corrupt.ts'
import { flags, has } from './flags.ts'
import type { PaddedLength } from './padding.ts'

/*
 * What an envelope has inside its ciphertext:
 *
 *   4   true length of the value; not with chunks
 *   …   the value
 *   …   padding, one zero byte or more (flag bit 3)
 *   8   true length of the value; with chunks only (flag bit 4)
 */

/** Length of the true length in front of the value. */
const shortLengthBytes = 4
/** Length of the true length at the end of a plaintext in chunks. */
export const longLengthBytes = 8

/** What the layout of a plaintext depends on. */
export interface Layout {
  readonly padded: PaddedLength | undefined
  readonly isChunked: boolean
}

/** Bytes of the shortest plaintext. */
export function leastPlaintextBytes(headerFlags: number): number {
  return has(headerFlags, flags.chunked) ? longLengthBytes : shortLengthBytes
}

/** The plaintext of a value, in parts that follow each other. */
export function plaintextOf(value: Bytes, { padded, isChunked }: Layout): readonly Bytes[] {
  if (padded === undefined)
    return isChunked ? [value, longLength(value.length)] : [shortLength(value.length), value]
  const padding = Buffer.alloc(padded(value.length) - value.length)
  return isChunked ? [value, padding, longLength(value.length)] : [shortLength(value.length), value, padding]
}

/** Bytes of the plaintext of a value of that length. */
export function plaintextBytes(valueBytes: number, { padded, isChunked }: Layout): number {
  const contentBytes = padded === undefined ? valueBytes : padded(valueBytes)
  return contentBytes + (isChunked ? longLengthBytes : shortLengthBytes)
}

/**
 * The value of a plaintext, which is authentic by now.
 *
 * @throws {StoreError} `CORRUPT` if lengths do not agree: only a holder of the key can have made such a record
 */
export function valueOf(plaintext: Buffer, headerFlags: number): Buffer {
  const isChunked = has(headerFlags, flags.chunked)
  const at = isChunked ? 0 : shortLengthBytes
  const end = isChunked ? plaintext.length - longLengthBytes : plaintext.length
  const valueEnd = at + (isChunked ? readLongLength(plaintext, end) : plaintext.readUInt32BE(0))
  if (valueEnd > end) throw corrupt('tells a wrong length')
  checkPadding(plaintext.subarray(valueEnd, end), headerFlags)
  return plaintext.subarray(at, valueEnd)
}

function shortLength(bytes: number): Buffer {
  const length = Buffer.allocUnsafe(shortLengthBytes)
  length.writeUInt32BE(bytes)
  return length
}

/** A true length as it stands at the end of a plaintext in chunks. */
export function longLength(bytes: number): Buffer {
  const length = Buffer.allocUnsafe(longLengthBytes)
  length.writeUInt32BE(Math.floor(bytes / 2 ** 32))
  length.writeUInt32BE(bytes % 2 ** 32, 4)
  return length
}

/** May be above every safe integer, and then still is: what it is compared with never is. */
export function readLongLength(plaintext: Buffer, at: number): number {
  return plaintext.readUInt32BE(at) * 2 ** 32 + plaintext.readUInt32BE(at + 4)
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
