import type { Bytes } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { corrupt } from '../corrupt.ts'
import { isId, maxIdBytes } from '../keys/identifiers.ts'
import type { KeyName, SealingKey } from '../keys/sealing-key.ts'
import { wrappedLength } from '../keys/wrapped-keys.ts'
import { chunkBytesOf } from './chunks.ts'
import { tagBytes } from './cipher.ts'
import { checkFlags, flags, has } from './flags.ts'
import { leastPlaintextBytes } from './plaintext.ts'
import { saltBytes } from './salts.ts'
import { type Suite, suiteOfId } from './suites.ts'

/*
 * The envelope, byte by byte in docs/reference/envelope.md. Integers are big-endian.
 *
 *   0   4   magic 9e 75 6b 76
 *   4   1   format version 1
 *   5   1   suite
 *   6   1   flags (flags.ts)
 *   7   1   lengths of the two identifiers, four bits each
 *   8   …   keyring identifier, key identifier (n bytes together)
 *   8+n 4   index of the message under its derived key
 *   12+n 32 salt
 *   44+n 32 commitment
 *   76+n 1  with chunks only: their size (chunks.ts)
 *   …    …  ciphertext of the plaintext (plaintext.ts), and tag (16)
 */

const magic = Buffer.from('9e756b76', 'hex')
const formatVersion = 1
const idsAt = 8
const commitmentBytes = 32

/** Longest header, wrapped data keys included, and the least that stands behind a header. */
export const mostHeaderBytes: number = idsAt + 30 + 4_096 + 4 + saltBytes + commitmentBytes + 1 + 24

/** The fields of an envelope before its ciphertext. Views of the envelope, nothing of it verified. */
export interface Header extends KeyName {
  readonly suite: Suite
  readonly flags: number
  readonly index: number
  readonly salt: Buffer
  readonly commitment: Buffer
  /** Size of the chunks; `undefined`: in one piece. */
  readonly chunkBytes: number | undefined
  /** All bytes before the ciphertext. */
  readonly bytes: Buffer
  /** Where the index stands: what all records of one sealer share ends here. */
  readonly indexAt: number
}

/** The common start of all headers of one sealer and key: everything up to the index. */
export interface HeaderStart {
  readonly bytes: Buffer
  /** The byte behind the commitment that tells the size of the chunks. */
  readonly chunkExponent?: number | undefined
}

/** Bytes that an envelope has before its ciphertext, given those before the index. */
export function headerLength(startBytes: number, isChunked: boolean): number {
  return startBytes + 4 + saltBytes + commitmentBytes + (isChunked ? 1 : 0)
}

/** The part of a header that all envelopes of one key, suite and flags share. */
export function headerStart(
  suite: Suite,
  headerFlags: number,
  { keyringId, id, wrapped }: Omit<SealingKey, 'root'>,
  chunkExponent?: number,
): HeaderStart {
  const lengths = (keyringId.length << 4) | id.length
  const bytes = Buffer.concat([
    magic,
    Buffer.from([formatVersion, suite.id, headerFlags, lengths]),
    Buffer.from(keyringId + id, 'latin1'),
    ...(wrapped === undefined ? [] : [wrapped]),
  ])
  return { bytes, chunkExponent }
}

/** Length of `headerStart` with these identifiers, without wrapped data keys. */
export function startLength(keyringId: string, keyId: string): number {
  return idsAt + keyringId.length + keyId.length
}

/** Write a whole header at the start of `envelope`, and return its length. */
export function writeHeader(
  envelope: Buffer,
  start: HeaderStart,
  { index, salt, commitment }: Pick<Header, 'index' | 'salt' | 'commitment'>,
): number {
  const indexAt = start.bytes.length
  envelope.set(start.bytes)
  envelope.writeUInt32BE(index, indexAt)
  envelope.set(salt, indexAt + 4)
  envelope.set(commitment, indexAt + 4 + saltBytes)
  if (start.chunkExponent !== undefined)
    envelope[indexAt + 4 + saltBytes + commitmentBytes] = start.chunkExponent
  return headerLength(indexAt, start.chunkExponent !== undefined)
}

/** Whether bytes claim to be an envelope. No text in UTF-8 and no record of an adapter starts so. */
export function isEnvelope(bytes: Bytes): boolean {
  return magic.every((byte, i) => bytes[i] === byte)
}

/**
 * Read the header of an envelope. Every length is checked before it is used.
 *
 * @throws {StoreError} `CORRUPT` for anything that this version does not write
 */
export function readHeader(envelope: Bytes): Header {
  if (!isEnvelope(envelope)) throw notAnEnvelope()
  if (envelope.length < idsAt) throw corrupt('is cut short')
  if (envelope[4] !== formatVersion) throw corrupt('has a format that this version does not support')
  const suite = suiteOfId(envelope[5] as number)
  if (suite === undefined) throw corrupt('has a cipher that this version does not support')
  return readIdsAndSalt(envelope, suite, checkFlags(envelope[6] as number))
}

function readIdsAndSalt(envelope: Bytes, suite: Suite, headerFlags: number): Header {
  const isChunked = has(headerFlags, flags.chunked)
  const lengths = envelope[7] as number
  const keyAt = idsAt + (lengths >> 4)
  const idsEnd = keyAt + (lengths & 15)
  const indexAt = idsEnd + (has(headerFlags, flags.wrappedKeys) ? wrappedLength(envelope, idsEnd) : 0)
  const commitmentEnd = indexAt + 4 + saltBytes + commitmentBytes
  const end = commitmentEnd + (isChunked ? 1 : 0)
  if (envelope.length < end + leastPlaintextBytes(headerFlags) + tagBytes) throw corrupt('is cut short')
  const header = Buffer.from(envelope.buffer, envelope.byteOffset, end)
  const keyringId = header.toString('latin1', idsAt, keyAt)
  const keyId = header.toString('latin1', keyAt, idsEnd)
  if (!isId(keyringId) || !isId(keyId) || idsEnd - idsAt > maxIdBytes) throw corrupt('does not name a key')
  const chunkBytes = isChunked ? chunkBytesOf(header[commitmentEnd] as number) : undefined
  if (isChunked && chunkBytes === undefined) throw corrupt('has an invalid chunk size')
  return {
    suite,
    flags: headerFlags,
    keyringId,
    keyId,
    wrapped: indexAt === idsEnd ? undefined : header.subarray(idsEnd, indexAt),
    index: header.readUInt32BE(indexAt),
    salt: header.subarray(indexAt + 4, indexAt + 4 + saltBytes),
    commitment: header.subarray(indexAt + 4 + saltBytes, commitmentEnd),
    chunkBytes,
    bytes: header,
    indexAt,
  }
}

/** The nonce of a message: its index, unique under its derived key. */
export function nonce(index: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(index, 8)
  return bytes
}

function notAnEnvelope(): StoreError {
  return new StoreError(
    'CORRUPT',
    'The stored value is not encrypted. It was damaged, or written without this layer; requireEncryption: false reads such values during a migration.',
  )
}
