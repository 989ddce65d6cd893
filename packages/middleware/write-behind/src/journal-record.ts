import { type Bytes, isVersion, StoreError } from '@unikv/core'
import { versionBytes } from '@unikv/core/adapter'
import type { Change } from './queued.ts'

/*
 * An acknowledged write in the journal, format 1. Integers are big-endian.
 *
 *   0   1  magic 0xcd
 *   1   1  format 1       together never valid UTF-8
 *   2   1  kind: 1 a set, 2 a delete, 3 a guard: no record of this key counts
 *   3  12  version
 *   15  6  expiresAt, milliseconds since the epoch; 0: never
 *   21  4  k, bytes of the canonical key
 *   25  4  n, bytes of the value
 *   29  k  key
 *   …   n  value
 *   …   4  CRC-32 of all the above
 */

const magic = 0xcd
const format = 1
const kindSet = 1
const kindDelete = 2
const kindGuard = 3
const keyAt = 29
const sumBytes = 4
const latest = 2 ** 48 - 1

/** Bytes of a record besides key and value. */
export const journalRecordBytes: number = keyAt + sumBytes

/** CRC-32 of bytes. */
export type Sum = (bytes: Bytes) => number

/** Stands where older records of its key may come late, so that none of them is replayed. */
export interface Guard {
  readonly type: 'guard'
  readonly key: string
  readonly version: string
}

const kinds = { set: kindSet, delete: kindDelete, guard: kindGuard }

/** The record of a change, or a guard. */
export function encodeJournalRecord(change: Change | Guard, sum: Sum): Buffer {
  const key = Buffer.from(change.key, 'utf8')
  const value = change.type === 'set' ? change.value : new Uint8Array()
  const expiresAt = change.type === 'set' ? change.expiresAt : undefined
  const record = Buffer.allocUnsafe(journalRecordBytes + key.length + value.length)
  record[0] = magic
  record[1] = format
  record[2] = kinds[change.type]
  record.set(versionBytes(change.version), 3)
  record.writeUIntBE(
    expiresAt === undefined ? 0 : Math.min(latest, Math.max(1, Math.floor(expiresAt))),
    15,
    6,
  )
  record.writeUInt32BE(key.length, 21)
  record.writeUInt32BE(value.length, 25)
  record.set(key, keyAt)
  record.set(value, keyAt + key.length)
  record.writeUInt32BE(sum(record.subarray(0, -sumBytes)), record.length - sumBytes)
  return record
}

/**
 * What a record holds, its value a view of it.
 *
 * @throws {StoreError} `CORRUPT` if the bytes are none, or not whole
 */
export function decodeJournalRecord(bytes: Bytes, sum: Sum): Change | Guard {
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (record.length < journalRecordBytes || record[0] !== magic || record[1] !== format) throw corrupt()
  const keyLength = record.readUInt32BE(21)
  const valueLength = record.readUInt32BE(25)
  const valueAt = keyAt + keyLength
  if (record.length !== journalRecordBytes + keyLength + valueLength) throw corrupt()
  if (record.readUInt32BE(record.length - sumBytes) !== sum(record.subarray(0, -sumBytes))) throw corrupt()
  const key = record.toString('utf8', keyAt, valueAt)
  const version = record.toString('hex', 3, 15)
  if (key === '' || !isVersion(version)) throw corrupt()
  if (record[2] === kindDelete && valueLength === 0) return { type: 'delete', key, version }
  if (record[2] === kindGuard && valueLength === 0) return { type: 'guard', key, version }
  if (record[2] !== kindSet) throw corrupt()
  const expiresAt = record.readUIntBE(15, 6)
  const value = record.subarray(valueAt, valueAt + valueLength)
  return { type: 'set', key, version, value, expiresAt: expiresAt === 0 ? undefined : expiresAt }
}

function corrupt(): StoreError {
  return new StoreError('CORRUPT', 'A record of the journal is damaged, or was not written by a journal.')
}
