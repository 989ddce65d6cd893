import { type Bytes, type Entry, StoreError } from '@unikv/core'

/*
 * The record of a cache in a store. Integers are big-endian; times are milliseconds since the epoch.
 *
 *   0   1  magic 0xce
 *   1   1  format: 1, or 2 if it is held, 3 if it is stamped, 4 if both. Together never valid UTF-8
 *   2   1  kind: 1 an entry, 2 known to be absent; held by a reader (+ 0x10) or a writer (+ 0x20), who may fill it
 *          at the end of its write (+ 0x40)
 *   3   1  n, length of the version (0: none)
 *   4   6  expiresAt of the source record; 0: never
 *   10  6  freshUntil; all bits set: always
 *   (16 6  heldUntil, in formats 2 and 4)
 *   (…  16 stamp: the tags as they were before it was loaded, in formats 3 and 4)
 *   …   n  version of the source record
 *   …      body
 */

const magic = 0xce
const plain = 1
const held = 1
const stamped = 2
const holdAt = 16
const holdBytes = 6
/** Bytes of a stamp, and of what a tag record holds. */
export const stampBytes = 16
const never = 0
const always = 2 ** 48 - 1
const kindEntry = 1
const kindAbsent = 2
const holders = { reader: 0x10, writer: 0x20 } as const
const filling = 0x40

/** The knowledge of a cache about a key: the source's entry, or that there is none. */
export interface CacheRecord {
  readonly entry: Entry<Bytes> | undefined
  /** Wall-clock time in milliseconds, `Infinity`: always, 0: never. */
  readonly freshUntil: number
  /** Somebody is about to replace or remove it. */
  readonly hold?: Hold | undefined
  /** Stamp of its tags before it was loaded, as Latin-1; absent if it has no tags. */
  readonly stamp?: string | undefined
}

/** A reader's lease, or the mark of a writer. */
export interface Hold {
  readonly by: keyof typeof holders
  /** Wall-clock time in milliseconds. */
  readonly until: number
  /** Whether the writer may replace its mark with the value it writes. */
  readonly fills?: true
}

/** The record as bytes; `undefined` for a version that does not fit. */
export function encodeCacheRecord({ entry, freshUntil, hold, stamp }: CacheRecord): Buffer | undefined {
  const version = Buffer.from(entry?.version ?? '', 'utf8')
  if (version.length > 255) return undefined
  const body = entry?.value
  const stampAt = hold === undefined ? holdAt : holdAt + holdBytes
  const headerBytes = stamp === undefined ? stampAt : stampAt + stampBytes
  const record = Buffer.allocUnsafe(headerBytes + version.length + (body?.length ?? 0))
  record[0] = magic
  record[1] = plain + (hold === undefined ? 0 : held) + (stamp === undefined ? 0 : stamped)
  record[2] = (entry === undefined ? kindAbsent : kindEntry) + flagsOf(hold)
  record[3] = version.length
  record.writeUIntBE(expiryBytes(entry?.expiresAt), 4, 6)
  record.writeUIntBE(timeBytes(freshUntil), 10, 6)
  if (hold !== undefined) record.writeUIntBE(timeBytes(hold.until), holdAt, holdBytes)
  if (stamp !== undefined) record.write(stamp, stampAt, 'latin1')
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
  const headerBytes = headerBytesOf(record)
  const versionBytes = record[3] ?? 0
  const bodyAt = headerBytes + versionBytes
  if (record.length < bodyAt) throw corrupt()
  const traits = traitsOf(record)
  const hold = hasHold(traits) ? holdOf(record) : undefined
  const stamp = hasStamp(traits)
    ? record.toString('latin1', headerBytes - stampBytes, headerBytes)
    : undefined
  const kind = (record[2] ?? 0) - flagsOf(hold)
  const freshUntil = timeOf(record.readUIntBE(10, 6))
  if (kind === kindAbsent && record.length === headerBytes)
    return { entry: undefined, freshUntil, hold, stamp }
  if (kind !== kindEntry) throw corrupt()
  const version = versionBytes === 0 ? undefined : record.toString('utf8', headerBytes, bodyAt)
  const expiresAt = record.readUIntBE(4, 6)
  const value = new Uint8Array(bytes.buffer, bytes.byteOffset + bodyAt, bytes.length - bodyAt)
  const entry = { value, version, expiresAt: expiresAt === never ? undefined : expiresAt }
  return { entry, freshUntil, hold, stamp }
}

function headerBytesOf(record: Buffer): number {
  const traits = traitsOf(record)
  if (record[0] !== magic || traits < 0 || traits > held + stamped) throw corrupt()
  return holdAt + (hasHold(traits) ? holdBytes : 0) + (hasStamp(traits) ? stampBytes : 0)
}

/** Traits of a format beyond the plain one. */
function traitsOf(record: Buffer): number {
  return (record[1] ?? 0) - plain
}

function hasHold(traits: number): boolean {
  return (traits & held) !== 0
}

function hasStamp(traits: number): boolean {
  return (traits & stamped) !== 0
}

function holdOf(record: Buffer): Hold {
  const kind = record[2] ?? 0
  const fills = kind >= filling
  const by = kind - (fills ? filling : 0) >= holders.writer ? 'writer' : 'reader'
  const hold: Hold = { by, until: timeOf(record.readUIntBE(holdAt, holdBytes)) }
  return fills ? { ...hold, fills } : hold
}

function flagsOf(hold: Hold | undefined): number {
  return hold === undefined ? 0 : holders[hold.by] + (hold.fills === true ? filling : 0)
}

/** A time that has no bytes is never fresh, and holds nothing. */
function timeBytes(ms: number): number {
  return ms >= 0 ? Math.min(always, Math.floor(ms)) : never
}

/** A time beyond all that has bytes never comes. */
function expiryBytes(expiresAt: number | undefined): number {
  return expiresAt === undefined || expiresAt > always ? never : Math.max(1, timeBytes(expiresAt))
}

function timeOf(ms: number): number {
  return ms === always ? Number.POSITIVE_INFINITY : ms
}

function corrupt(): StoreError {
  return new StoreError(
    'CORRUPT',
    'The bytes in the cache store are not a cache record. Give the cache its own namespace.',
  )
}
