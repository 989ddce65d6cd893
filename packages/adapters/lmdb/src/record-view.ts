import type { Bytes, Entry, Version } from '@unikv/core'
import {
  bufferOf,
  isRecord,
  notARecord,
  recordExpiresAt,
  recordHeaderBytes,
  recordVersion,
} from '@unikv/core/adapter'
import type { LmdbDatabase, LmdbKey, LmdbSnapshot } from './client/lmdb-client.ts'

/** A record in the memory that lmdb-js reads into: valid until the next read. */
export class RecordView {
  readonly version: Version
  readonly expiresAt: number | undefined
  readonly #bytes: Buffer
  readonly #length: number

  /** @throws {StoreError} `CORRUPT` if the bytes are not a record */
  constructor(bytes: Buffer) {
    if (!isRecord(bytes)) throw notARecord()
    this.version = recordVersion(bytes)
    this.expiresAt = recordExpiresAt(bytes)
    this.#bytes = bytes
    // Length of the value, not of the memory behind it.
    this.#length = bytes.length
  }

  /** A copy of the body, good for ever. */
  body(): Buffer {
    const body = Buffer.allocUnsafe(this.#length - recordHeaderBytes)
    this.#bytes.copy(body, 0, recordHeaderBytes, this.#length)
    return body
  }
}

/**
 * The record of a key; `undefined`: none.
 *
 * @throws {StoreError} `CORRUPT` if the bytes are not a record
 */
export function viewRecord(
  database: LmdbDatabase,
  key: LmdbKey,
  snapshot?: LmdbSnapshot,
): RecordView | undefined {
  const found = database.getBinaryFast(key, snapshot)
  if (found === undefined) return undefined
  // Large values may come as a plain view of the mapped file.
  return new RecordView(Buffer.isBuffer(found) ? found : bufferOf(found))
}

/** The entry of a view. */
export function entryOf(view: RecordView): Entry<Bytes> {
  return { value: view.body(), version: view.version, expiresAt: view.expiresAt }
}
