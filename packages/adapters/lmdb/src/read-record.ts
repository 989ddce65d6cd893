import {
  type Bytes,
  isLive,
  isRecord,
  notARecord,
  type Read,
  type ReadResult,
  recordExpiresAt,
  recordHeaderBytes,
  recordVersion,
} from '@unikv/core'
import type { LmdbDatabase } from './lmdb-client.ts'

/**
 * What a key holds now: inside a write transaction what that transaction sees, elsewhere what was committed.
 * `'expired'` is absent for every caller, and told apart so that it can be removed.
 */
export function readRecord(
  database: LmdbDatabase,
  { key, head, ifNotVersion }: Read,
  now: number,
): ReadResult<Bytes> | 'expired' {
  // Not a copy: LMDB reuses it with the next read, so nothing of it may leave here.
  const record = database.getBinaryFast(Buffer.from(key))
  if (record === undefined) return undefined
  if (!isRecord(record)) return notARecord()
  const expiresAt = recordExpiresAt(record)
  if (!isLive(expiresAt, now)) return 'expired'
  const version = recordVersion(record)
  if (head === true || version === ifNotVersion) return { notModified: true, version, expiresAt }
  return { value: new Uint8Array(record.subarray(recordHeaderBytes)), version, expiresAt }
}
