import { type Bytes, isVersion, StoreError } from '@unikv/core'
import { bufferOf, hex, Layout, time, u8, u32 } from '@unikv/core/adapter'
import type { Change } from './queued.ts'

/*
 * An acknowledged write in the journal, format 1. Integers are big-endian. The first two bytes are together never valid UTF-8. Behind
 * the head come the canonical key, the value, and the CRC-32 of all before it (4 bytes).
 */
const head = new Layout([0xcd, 1], {
  /** 1 a set, 2 a delete, 3 a guard: no record of this key counts. */
  kind: u8,
  version: hex(12),
  expiresAt: time,
  keyBytes: u32,
  valueBytes: u32,
})

const kinds = { set: 1, delete: 2, guard: 3 } as const
const sumBytes = 4

/** Bytes of a record besides key and value. */
export const journalRecordBytes: number = head.bytes + sumBytes

/** CRC-32 of bytes. */
export type Sum = (bytes: Bytes) => number

/** Stands where older records of its key may come late, so that none of them is replayed. */
export interface Guard {
  readonly type: 'guard'
  readonly key: string
  readonly version: string
}

/** The record of a change, or a guard. */
export function encodeJournalRecord(change: Change | Guard, sum: Sum): Buffer {
  const key = Buffer.from(change.key)
  const { value, expiresAt } =
    change.type === 'set' ? change : { value: new Uint8Array(), expiresAt: undefined }
  const { type, version } = change
  const told = { kind: kinds[type], version, expiresAt, keyBytes: key.length, valueBytes: value.length }
  const record = head.encode(told, [key, value], sumBytes)
  record.writeUInt32BE(sum(record.subarray(0, -sumBytes)), record.length - sumBytes)
  return record
}

/**
 * The content of a record, its value a view of it.
 *
 * @throws {StoreError} `CORRUPT` if the bytes are none, or not whole
 */
export function decodeJournalRecord(bytes: Bytes, sum: Sum): Change | Guard {
  const record = bufferOf(bytes)
  const told = head.decode(record)
  if (told === undefined) throw corrupt()
  const { kind, version, expiresAt, keyBytes, valueBytes } = told
  if (record.length !== journalRecordBytes + keyBytes + valueBytes) throw corrupt()
  if (record.readUInt32BE(record.length - sumBytes) !== sum(record.subarray(0, -sumBytes))) throw corrupt()
  const valueAt = head.bytes + keyBytes
  const key = record.toString('utf8', head.bytes, valueAt)
  if (key === '' || !isVersion(version)) throw corrupt()
  const value = record.subarray(valueAt, -sumBytes)
  if (kind === kinds.set) return { type: 'set', key, version, value, expiresAt }
  if (valueBytes > 0 || (kind !== kinds.delete && kind !== kinds.guard)) throw corrupt()
  return { type: kind === kinds.delete ? 'delete' : 'guard', key, version }
}

function corrupt(): StoreError {
  return new StoreError('CORRUPT', 'A record of the journal is damaged, or was not written by a journal.')
}
