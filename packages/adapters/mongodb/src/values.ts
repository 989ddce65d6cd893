import type { Bytes, Json } from '@unikv/core'
import { corrupt, documentText } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { bsonBytes, isJson } from './document-bson.ts'

/** A value on its way into a record. */
export interface Field {
  /** As the driver takes it. */
  readonly value: unknown
  readonly bytes: number
}

/** How values stand in records: bytes as binary data, documents as themselves. */
export interface ValueForm<V> {
  /** @throws {StoreError} `INVALID_VALUE` */
  toField(value: V): Field
  /** @throws {StoreError} `CORRUPT` */
  fromField(field: unknown): V
}

/**
 * Bytes that are the decimal text of a safe integer stand there as that number, so that the server can count; all
 * others as binary data. A value is read as it was written.
 */
export const bytesForm: ValueForm<Bytes> = {
  toField(body) {
    const counter = counterOf(body)
    return counter === undefined
      ? { value: Buffer.from(body), bytes: body.length }
      : { value: counter, bytes: body.length }
  },
  fromField(field) {
    if (isBytes(field)) return Buffer.from(field.buffer, field.byteOffset, field.length)
    if (Number.isSafeInteger(field)) return Buffer.from(String(field))
    throw corrupt('The field value', 'holds neither binary data nor a number')
  },
}

/** JSON data. */
export const documentForm: ValueForm<Json> = {
  toField(value) {
    const copy = JSON.parse(documentText(value)) as Json
    return { value: copy, bytes: bsonBytes(copy) }
  },
  fromField(field) {
    if (isJson(field)) return field
    throw corrupt('The field value', 'does not hold JSON data')
  },
}

/** Longest decimal text of a safe integer: a sign and 16 digits. */
const maxCounterBytes = 17

function counterOf(body: Bytes): number | undefined {
  const first = body[0]
  // '-' and the digits: most bodies are told apart by their first byte
  if (first === undefined || body.length > maxCounterBytes || first < 0x2d || first > 0x39) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  if (!/^(0|-?[1-9][0-9]{0,15})$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
