import type { Bytes } from '../contract/bytes.ts'
import { StoreError } from '../contract/errors.ts'
import type { Entry, Version } from '../contract/store.ts'
import { isVersion } from '../contract/version.ts'

/*
 * The record header, for stores that hold one byte string a key. Fixed offsets, so that a server-side script can
 * compare the version and change the expiry in place. Not secret, not authenticated.
 *
 *   0  1  magic 0xd5
 *   1  1  format 1       together never valid UTF-8, so that no text is taken for a record
 *   2  12 version
 *   14 6  expiresAt, unsigned big-endian milliseconds since the epoch; 0: never
 *   20 …  body
 */

/** Length of the record header in bytes. */
export const recordHeaderBytes = 20
/** Offset of the version (12 bytes) in a record. */
export const recordVersionOffset = 2
/** Offset of `expiresAt` (6 bytes, big-endian) in a record. */
export const recordExpiresAtOffset = 14
/** First two bytes of every record: magic and format. */
export const recordMagic: readonly [number, number] = [0xd5, 1]

/** Header and body as one byte string. */
export function encodeRecord(body: Bytes, version: Version, expiresAt: number | undefined): Buffer {
  const record = Buffer.allocUnsafe(recordHeaderBytes + body.length)
  writeRecord(record, 0, body, version, expiresAt)
  return record
}

/** Put the `recordHeaderBytes + body.length` bytes of a record where there is room for them. */
export function writeRecord(
  target: Buffer,
  at: number,
  body: Bytes,
  version: Version,
  expiresAt: number | undefined,
): void {
  target[at] = recordMagic[0]
  target[at + 1] = recordMagic[1]
  target.write(version, at + recordVersionOffset, recordExpiresAtOffset - recordVersionOffset, 'hex')
  target.writeUIntBE(
    expiresAt === undefined ? 0 : Math.max(1, Math.floor(expiresAt)),
    at + recordExpiresAtOffset,
    6,
  )
  target.set(body, at + recordHeaderBytes)
}

/** Whether bytes start as a record does: what a store recognises as its own. */
export function isRecord(bytes: Bytes): boolean {
  return bytes.length >= recordHeaderBytes && bytes[0] === recordMagic[0] && bytes[1] === recordMagic[1]
}

/**
 * The entry of a record. The value is a view of `record`, not a copy.
 *
 * @throws {StoreError} `CORRUPT` if the bytes are not a record
 */
export function decodeRecord(record: Buffer): Entry<Bytes> {
  if (!isRecord(record)) throw notARecord()
  return {
    value: record.subarray(recordHeaderBytes),
    version: recordVersion(record),
    expiresAt: recordExpiresAt(record),
  }
}

/** The version of a record. */
export function recordVersion(record: Buffer): Version {
  return record.toString('hex', recordVersionOffset, recordExpiresAtOffset)
}

/** The expiry of a record. */
export function recordExpiresAt(record: Buffer): number | undefined {
  const expiresAt = record.readUIntBE(recordExpiresAtOffset, 6)
  return expiresAt === 0 ? undefined : expiresAt
}

/** The 12 bytes of a version. */
export function versionBytes(version: Version): Buffer {
  return Buffer.from(version, 'hex')
}

/** The bytes of a version to compare with; empty if the string is not a version, which equals none. */
export function knownVersionBytes(version: Version): Buffer {
  return isVersion(version) ? versionBytes(version) : Buffer.alloc(0)
}

/** The error for bytes that are not a unikv record. */
export function notARecord(): StoreError {
  return new StoreError(
    'CORRUPT',
    'The stored bytes are not a unikv record. Choose another dataset, or set values: "raw" for foreign data.',
  )
}
