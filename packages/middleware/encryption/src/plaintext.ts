import type { Bytes } from '@unikv/core'
import { corrupt } from './corrupt.ts'
import { flags, has } from './flags.ts'
import type { PaddedLength } from './padding.ts'

/*
 * What an envelope has inside its ciphertext:
 *
 *   4   true length of the value; not with chunks
 *   4   length of the true key, and the key in UTF-8 (flag bit 6)
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
export function plaintextOf(
  value: Bytes,
  { padded, isChunked }: Layout,
  trueKey: string | undefined,
): readonly Bytes[] {
  if (trueKey !== undefined) return withTrueKey(value, padded, isChunked, trueKey)
  if (padded === undefined)
    return isChunked ? [value, longLength(value.length)] : [shortLength(value.length), value]
  const padding = Buffer.alloc(padded(value.length) - value.length)
  return isChunked ? [value, padding, longLength(value.length)] : [shortLength(value.length), value, padding]
}

function withTrueKey(
  value: Bytes,
  padded: PaddedLength | undefined,
  isChunked: boolean,
  trueKey: string,
): readonly Bytes[] {
  const parts = [...ledByLength(trueKey), value]
  const contentBytes = trueKeyBytes(trueKey) + value.length
  if (padded !== undefined) parts.push(Buffer.alloc(padded(contentBytes) - contentBytes))
  return isChunked ? [...parts, longLength(value.length)] : [shortLength(value.length), ...parts]
}

/** Bytes that a true key takes before the value. */
export function trueKeyBytes(trueKey: string | undefined): number {
  return trueKey === undefined ? 0 : shortLengthBytes + Buffer.byteLength(trueKey)
}

/** Bytes of the plaintext of a true key and a value that have that many together. */
export function plaintextBytes(contentBytes: number, { padded, isChunked }: Layout): number {
  const paddedBytes = padded === undefined ? contentBytes : padded(contentBytes)
  return paddedBytes + (isChunked ? longLengthBytes : shortLengthBytes)
}

/**
 * The value of a plaintext, which is authentic by now.
 *
 * @throws {StoreError} `CORRUPT` if lengths do not agree: only a holder of the key can have made such a record
 */
export function valueOf(plaintext: Buffer, headerFlags: number): Buffer {
  const isChunked = has(headerFlags, flags.chunked)
  const hasKey = has(headerFlags, flags.trueKey)
  const keyBytes = hasKey ? shortLengthBytes + trueKeyIn(plaintext, headerFlags).length : 0
  const at = trueKeyAt(headerFlags) + keyBytes
  const end = isChunked ? plaintext.length - longLengthBytes : plaintext.length
  const valueEnd = at + (isChunked ? readLongLength(plaintext, end) : plaintext.readUInt32BE(0))
  if (valueEnd > end) throw corrupt('tells a wrong length')
  checkPadding(plaintext.subarray(valueEnd, end), headerFlags)
  return plaintext.subarray(at, valueEnd)
}

/**
 * The true key of a plaintext that has one, which is authentic by now.
 *
 * @throws {StoreError} `CORRUPT` if it is none: only a holder of the key can have made such a record
 */
export function trueKeyOf(plaintext: Buffer, headerFlags: number): string {
  const bytes = trueKeyIn(plaintext, headerFlags)
  const key = bytes.toString()
  if (!Buffer.from(key).equals(bytes)) throw corrupt('tells a wrong key')
  return key
}

function trueKeyIn(plaintext: Buffer, headerFlags: number): Buffer {
  const at = trueKeyAt(headerFlags) + shortLengthBytes
  const length = at > plaintext.length ? -1 : plaintext.readUInt32BE(at - shortLengthBytes)
  const room = plaintext.length - at - (has(headerFlags, flags.chunked) ? longLengthBytes : 0)
  if (length < 0 || length > room) throw corrupt('tells a wrong length')
  return plaintext.subarray(at, at + length)
}

function trueKeyAt(headerFlags: number): number {
  return has(headerFlags, flags.chunked) ? 0 : shortLengthBytes
}

function ledByLength(text: string): Bytes[] {
  const bytes = Buffer.from(text)
  return [shortLength(bytes.length), bytes]
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
