import type { Bytes, Entry, Version } from '@unikv/core'
import { isRecord, notARecord, recordExpiresAt, recordHeaderBytes, recordVersion } from '@unikv/core/adapter'
import type { LmdbDatabase, LmdbReadTransaction } from './lmdb-client.ts'

/** A record in the memory that lmdb-js reads into: valid until the next read. */
export interface RecordView {
  readonly version: Version
  readonly expiresAt: number | undefined
  /** A copy of the body, good for ever. */
  body(): Buffer
}

/**
 * The record of a key; `undefined`: none.
 *
 * @throws {StoreError} `CORRUPT` for bytes that are no record
 */
export function viewRecord(
  database: LmdbDatabase,
  key: Buffer,
  transaction?: LmdbReadTransaction,
): RecordView | undefined {
  const found = database.getBinaryFast(key, transaction && { transaction })
  if (found === undefined) return undefined
  // Large values may come as a plain view of the mapped file.
  return viewOf(Buffer.isBuffer(found) ? found : bufferOf(found))
}

/** The view of bytes. */
export function viewOf(bytes: Buffer): RecordView {
  if (!isRecord(bytes)) throw notARecord()
  const { length } = bytes
  return {
    version: recordVersion(bytes),
    expiresAt: recordExpiresAt(bytes),
    body() {
      const body = Buffer.allocUnsafe(length - recordHeaderBytes)
      bytes.copy(body, 0, recordHeaderBytes, length)
      return body
    },
  }
}

/** The same memory as a Buffer. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** The entry of a view. */
export function entryOf(view: RecordView): Entry<Bytes> {
  return { value: view.body(), version: view.version, expiresAt: view.expiresAt }
}
