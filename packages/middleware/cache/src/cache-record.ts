import { type Bytes, type Entry, StoreError } from '@unikv/core'

/*
 * What a cache keeps in a store, format 1. Integers are big-endian; times are milliseconds since the epoch.
 *
 *   0   1  magic 0xce
 *   1   1  format 1       together never valid UTF-8
 *   2   1  kind: 1 an entry, 2 known to be absent
 *   3   1  n, length of the version (0: none)
 *   4   6  expiresAt of the source record; 0: never
 *   10  6  freshUntil; all bits set: always
 *   16  n  version of the source record
 *   …      body
 */

const magic = 0xce
const format = 1
const headerBytes = 16
const never = 0
const always = 2 ** 48 - 1
const kindEntry = 1
const kindAbsent = 2

/** What a cache knows of a key: the source's entry, or that there is none. */
export interface CacheRecord {
  readonly entry: Entry<Bytes> | undefined
  /** Wall-clock time in milliseconds, `Infinity`: always. */
  readonly freshUntil: number
}

/** The record as bytes; `undefined` for a version that does not fit. */
export function encodeCacheRecord({ entry, freshUntil }: CacheRecord): Buffer | undefined {
  const version = Buffer.from(entry?.version ?? '', 'utf8')
  if (version.length > 255) return undefined
  const body = entry?.value
  const record = Buffer.allocUnsafe(headerBytes + version.length + (body?.length ?? 0))
  record[0] = magic
  record[1] = format
  record[2] = entry === undefined ? kindAbsent : kindEntry
  record[3] = version.length
  record.writeUIntBE(entry?.expiresAt === undefined ? never : Math.max(1, Math.floor(entry.expiresAt)), 4, 6)
  record.writeUIntBE(Math.min(always, Math.floor(freshUntil)), 10, 6)
  record.set(version, headerBytes)
  if (body !== undefined) record.set(body, headerBytes + version.length)
  return record
}

/**
 * The record of bytes; its body is a view of them.
 *
 * @throws {StoreError} `CORRUPT` if they are none
 */
export function decodeCacheRecord(bytes: Bytes): CacheRecord {
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const [first, second, kind, versionBytes = 0] = record
  const bodyAt = headerBytes + versionBytes
  if (first !== magic || second !== format || record.length < bodyAt) throw corrupt()
  const freshUntil = timeOf(record.readUIntBE(10, 6))
  if (kind === kindAbsent && record.length === headerBytes) return { entry: undefined, freshUntil }
  if (kind !== kindEntry) throw corrupt()
  const version = versionBytes === 0 ? undefined : record.toString('utf8', headerBytes, bodyAt)
  const expiresAt = record.readUIntBE(4, 6)
  const value = record.subarray(bodyAt)
  return { entry: { value, version, expiresAt: expiresAt === never ? undefined : expiresAt }, freshUntil }
}

function timeOf(ms: number): number {
  return ms === always ? Number.POSITIVE_INFINITY : ms
}

function corrupt(): StoreError {
  return new StoreError(
    'CORRUPT',
    'The bytes in the cache store are no cache record. Give the cache a namespace of its own.',
  )
}
