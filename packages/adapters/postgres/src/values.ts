import { type Bytes, type Json, StoreError } from '@unikv/core'
import { documentText } from '@unikv/core/adapter'
import { documentOf } from '@unikv/core/sql-client'

/**
 * How values travel: bytes as they are, documents as JSON text. Back by a pool that was handed in, bytes come in base64
 * (shorter than hexadecimal, and read in half the time).
 */
export interface ValueForm<V> {
  readonly documents: boolean
  /**
   * The bytes that are bound to a statement, perhaps the value itself.
   *
   * @throws {StoreError} `INVALID_VALUE`
   */
  toBytes(value: V): Uint8Array
  /**
   * A value from what was read, as text where the pool was handed in.
   *
   * @throws {StoreError} `CORRUPT`
   */
  fromColumn(column: Buffer | string): V
}

export const bytesForm: ValueForm<Bytes> = {
  documents: false,
  toBytes: (value) => value,
  fromColumn: (column) => (typeof column === 'string' ? Buffer.from(column, 'base64') : column),
}

export const documentForm: ValueForm<Json> = {
  documents: true,
  toBytes(value) {
    const text = documentText(value)
    if (!nul.test(text)) return Buffer.from(text)
    throw new StoreError('INVALID_VALUE', 'A document in PostgreSQL cannot hold U+0000.')
  },
  fromColumn: documentOf,
}

/** The escape of U+0000: its backslash is not itself escaped. */
const nul = /(?<!\\)(?:\\\\)*\\u0000/
