import { type Bytes, StoreError, type Version } from '@unikv/core'
import { decodeRecord, notARecord, recordHeaderBytes, writeRecord } from '@unikv/core/adapter'

/*
 * The body of an object: the record header of core, one byte that tells the padding, the value, the padding (0 or 1
 * byte). The padding makes the size odd if the record may expire, and even if it may not: a list tells sizes but
 * nothing that is stored with an object, and so it need not ask for each.
 *
 * The version is part of the body, so that equal values have different ETags.
 */

/** Bytes before the value. */
export const headBytes: number = recordHeaderBytes + 1
/** Bytes of an object that are not its value, at most. */
export const overheadBytes: number = headBytes + 1

const nothing = Buffer.alloc(0)

/** The head of a record, from its first bytes. */
export interface RecordHead {
  readonly version: Version | undefined
  readonly expiresAt: number | undefined
}

/** The body of an object. */
export function encodeObject(value: Bytes, version: Version, expiresAt: number | undefined): Buffer {
  const isEven = (headBytes + value.length) % 2 === 0
  const padding = isEven === (expiresAt === undefined) ? 0 : 1
  const object = Buffer.alloc(headBytes + value.length + padding)
  writeRecord(object, 0, nothing, version, expiresAt)
  object[recordHeaderBytes] = padding
  object.set(value, headBytes)
  return object
}

/**
 * Version and expiry of an object whose first bytes (or all) these are.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function decodeHead(bytes: Buffer): RecordHead {
  const { version, expiresAt } = checked(bytes)
  return { version, expiresAt }
}

/**
 * Value, version and expiry. The value is a view of `bytes`.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function decodeObject(bytes: Buffer): RecordHead & { readonly value: Bytes } {
  const { value: body, version, expiresAt } = checked(bytes)
  const padding = body[0] as number
  if (body.length - 1 < padding) throw damaged()
  return { value: body.subarray(1, body.length - padding), version, expiresAt }
}

/** Whether an object of this size may be a record that expires. */
export function mayExpire(size: number): boolean {
  return size % 2 === 1
}

function checked(bytes: Buffer): ReturnType<typeof decodeRecord> {
  const record = decodeRecord(bytes)
  const padding = record.value[0]
  if (padding === undefined) throw notARecord()
  if (padding > 1) throw damaged()
  return record
}

function damaged(): StoreError {
  return new StoreError('CORRUPT', 'The object is a damaged record.')
}
