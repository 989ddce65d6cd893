import { type Bytes, type Entry, newVersion } from '@unikv/core'
import { decodeRecord, encodeRecord } from '@unikv/core/adapter'

/** A value behind a new version and its expiry, as stores without columns keep it. */
export function recordOf(value: Buffer): Buffer {
  return encodeRecord(value, newVersion(), undefined)
}

/** Value, version and expiry of a record that has not expired. */
export function liveIn(record: Buffer | null | undefined): Entry<Bytes> | undefined {
  if (record === null || record === undefined) return undefined
  const entry = decodeRecord(record)
  return entry.expiresAt !== undefined && entry.expiresAt <= Date.now() ? undefined : entry
}
