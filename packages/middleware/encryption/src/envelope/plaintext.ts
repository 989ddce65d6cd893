import type { Bytes } from '@unikv/core'
import { corrupt } from '../corrupt.ts'
import { flags, has } from './flags.ts'
import type { PaddedLength } from './padding.ts'

/*
 * Layout of the plaintext inside an envelope's ciphertext:
 *
 *   4   true length of the value; not with chunks
 *   4   length of the true key, and the key in UTF-8 (flag bit 6)
 *   …   the value
 *   …   padding, one zero byte or more (flag bit 3)
 *   8   true length of the value; with chunks only (flag bit 4)
 */

/** Length of the true length in front of the value. */
export const shortLengthBytes = 4
/** Length of the true length at the end of a plaintext in chunks. */
export const longLengthBytes = 8

/** Facts on which the layout of a plaintext depends. */
export interface Layout {
  readonly padded: PaddedLength | undefined
  readonly isChunked: boolean
}

/** Bytes of the shortest plaintext. */
export function leastPlaintextBytes(headerFlags: number): number {
  return has(headerFlags, flags.chunked) ? longLengthBytes : shortLengthBytes
}

/** The plaintext of a value, in parts that follow each other. */
export function plaintextOf(value: Bytes, layout: Layout, trueKey: string | undefined): readonly Bytes[] {
  const { padded, isChunked } = layout
  if (padded === undefined && trueKey === undefined)
    return isChunked ? [value, longLength(value.length)] : [shortLength(value.length), value]
  const parts = trueKey === undefined ? [value] : [...ledByLength(trueKey), value]
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

/** A plaintext that is authentic: its true key, value and padding, and the true length of the value. */
export interface Plaintext {
  readonly content: Buffer
  /** May be above every safe integer, and then still is: what it is compared with never is. */
  readonly valueBytes: number
}

/** A plaintext in one piece: the true length, and what follows it. */
export function plaintextInOnePiece([length, content]: readonly [
  length: Buffer,
  content: Buffer,
]): Plaintext {
  return { content, valueBytes: length.readUInt32BE(0) }
}

/** A plaintext that was in chunks: the true length is at its end. */
export function plaintextOfChunks(plaintext: Buffer): Plaintext {
  const end = plaintext.length - longLengthBytes
  return { content: plaintext.subarray(0, end), valueBytes: readLongLength(plaintext, end) }
}

/**
 * The value of a plaintext: the memory itself where it is alone there, without a copy.
 *
 * @throws {StoreError} `CORRUPT` if lengths do not agree: only a holder of the key can have made such a record
 */
export function valueOf({ content, valueBytes }: Plaintext, headerFlags: number): Bytes {
  const at = has(headerFlags, flags.trueKey) ? shortLengthBytes + trueKeyIn(content).length : 0
  const end = at + valueBytes
  if (end > content.length) throw corrupt('declares a wrong length')
  checkPadding(content.subarray(end), headerFlags)
  return valueBytes === content.buffer.byteLength ? new Uint8Array(content.buffer) : content.subarray(at, end)
}

/**
 * The true key of a plaintext that has one.
 *
 * @throws {StoreError} `CORRUPT` if it is none: only a holder of the key can have made such a record
 */
export function trueKeyOf({ content }: Plaintext): string {
  const bytes = trueKeyIn(content)
  const key = bytes.toString()
  if (!Buffer.from(key).equals(bytes)) throw corrupt('belongs to another key')
  return key
}

function trueKeyIn(content: Buffer): Buffer {
  const length = content.length < shortLengthBytes ? -1 : content.readUInt32BE(0)
  if (length < 0 || length > content.length - shortLengthBytes) throw corrupt('declares a wrong length')
  return content.subarray(shortLengthBytes, shortLengthBytes + length)
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

/** A true length as `longLength` wrote it. */
export function readLongLength(plaintext: Buffer, at: number): number {
  return plaintext.readUInt32BE(at) * 2 ** 32 + plaintext.readUInt32BE(at + 4)
}

/** Zeros where the header says so, and nothing where it does not. */
function checkPadding(padding: Buffer, headerFlags: number): void {
  if (has(headerFlags, flags.padded) !== padding.length > 0) throw corrupt('declares a wrong length')
  if (padding.length > 0 && !isZero(padding)) throw corrupt('has padding that is not zero')
}

/** Compared with itself, one byte further: as fast as memory. */
function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1))
}
