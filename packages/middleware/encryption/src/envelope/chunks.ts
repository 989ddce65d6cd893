import type { Bytes } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { release } from '../keys/release.ts'
import { type CipherInput, decrypt, encrypt, tagBytes } from './cipher.ts'

/*
 * Large plaintexts in chunks, each sealed for itself under a nonce of its own (STREAM). Nonce of a chunk, 12 bytes:
 *
 *   0  3  zero
 *   3  1  1: more chunks follow, 2: it is the last one (0 is an envelope without chunks)
 *   4  4  number of the chunk, from 0
 *   8  4  index of the message
 *
 * So it is the nonce of an envelope in one piece, with the first part filled in.
 */

/** As many as the nonce can count. */
export const mostChunks: number = 2 ** 32
const moreFollow = 1
const isTheLast = 2

/** Most bytes of a plaintext in chunks: 2^43 blocks under one key. */
export const maxChunkedBytes: number = 2 ** 47

/** Sizes of chunks that a header can name, as exponents of two: 1 KiB to 16 MiB. */
const exponents = { least: 10, most: 24 } as const

/**
 * The byte of a header that tells a size of chunks.
 *
 * @throws {StoreError} `INVALID_CONFIG` unless this is a power of two from 1 KiB to 16 MiB
 */
export function chunkExponent(chunkBytes: number): number {
  const exponent = typeof chunkBytes === 'number' ? Math.log2(chunkBytes) : Number.NaN
  if (chunkBytesOf(exponent) !== undefined) return exponent
  throw new StoreError('INVALID_CONFIG', 'chunkBytes must be a power of two from 1,024 to 16,777,216.')
}

/** The size of chunks that a header tells; `undefined` for what no header tells. */
export function chunkBytesOf(exponent: number): number | undefined {
  const { least, most } = exponents
  return Number.isInteger(exponent) && exponent >= least && exponent <= most ? 2 ** exponent : undefined
}

/** Bytes of the ciphertext of a plaintext, tags included; `Infinity` if it is too large. */
export function chunkedBytes(plaintextBytes: number, chunkBytes: number): number {
  const count = Math.ceil(plaintextBytes / chunkBytes)
  if (plaintextBytes > maxChunkedBytes || count > mostChunks) return Number.POSITIVE_INFINITY
  return plaintextBytes + count * tagBytes
}

/** Encrypt parts one after the other, in chunks, to `target` from `at` on. */
export function encryptChunks(
  input: CipherInput,
  chunkBytes: number,
  parts: readonly Bytes[],
  target: Buffer,
  at: number,
): void {
  const count = Math.ceil(totalOf(parts) / chunkBytes)
  let end = at
  let number = 0
  for (const chunk of cut(parts, chunkBytes)) {
    encrypt(withNonce(input, number, number === count - 1), chunk, target, end)
    end += totalOf(chunk) + tagBytes
    number += 1
  }
}

/**
 * The plaintext of a ciphertext in chunks, or `undefined` if any of them is not authentic, not in its place, or
 * missing: nothing comes out before all of them were verified.
 */
export function decryptChunks(input: CipherInput, chunkBytes: number, ciphertext: Bytes): Buffer | undefined {
  const sealedBytes = chunkBytes + tagBytes
  const count = Math.ceil(ciphertext.length / sealedBytes)
  if (ciphertext.length - (count - 1) * sealedBytes <= tagBytes) return undefined
  const plaintext = Buffer.allocUnsafe(ciphertext.length - count * tagBytes)
  for (let number = 0; number < count; number++) {
    const sealed = ciphertext.subarray(number * sealedBytes, (number + 1) * sealedBytes)
    const chunk = decryptChunk(input, number, number === count - 1, sealed)
    if (chunk === undefined) return undefined
    plaintext.set(chunk, number * chunkBytes)
    release(chunk)
  }
  return plaintext
}

/** The plaintext of one chunk with its tag; `undefined` if it is not this one. */
export function decryptChunk(
  input: CipherInput,
  number: number,
  isLast: boolean,
  sealed: Bytes,
): Buffer | undefined {
  const tagAt = sealed.length - tagBytes
  if (tagAt <= 0) return undefined
  return decrypt(withNonce(input, number, isLast), sealed.subarray(0, tagAt), sealed.subarray(tagAt))
}

/** One chunk with its tag. */
export function encryptChunk(
  input: CipherInput,
  number: number,
  isLast: boolean,
  parts: readonly Bytes[],
): Buffer {
  const sealed = Buffer.allocUnsafe(totalOf(parts) + tagBytes)
  encrypt(withNonce(input, number, isLast), parts, sealed, 0)
  return sealed
}

function withNonce(input: CipherInput, number: number, isLast: boolean): CipherInput {
  const nonce = Buffer.from(input.nonce)
  nonce[3] = isLast ? isTheLast : moreFollow
  nonce.writeUInt32BE(number, 4)
  return { ...input, nonce }
}

function totalOf(parts: readonly Bytes[]): number {
  return parts.reduce((total, { length }) => total + length, 0)
}

/** Parts cut again: views that make up `size` bytes each, and the rest. */
function* cut(parts: readonly Bytes[], size: number): Generator<readonly Bytes[]> {
  let chunk: Bytes[] = []
  let room = size
  for (const part of parts)
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + room)
      chunk.push(piece)
      at += piece.length
      room -= piece.length
      if (room > 0) continue
      yield chunk
      chunk = []
      room = size
    }
  if (chunk.length > 0) yield chunk
}
