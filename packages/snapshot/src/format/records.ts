import { type Bytes, isVersion, type Json, StoreError } from '@unikv/core'
import { bufferOf, documentText } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import type { Stored } from '../places/pages.ts'
import { damaged } from './layout.ts'

/*
 * A record in a block, one after the other:
 *
 *   0    4   length of the key in bytes
 *   4    k   canonical key in UTF-8
 *   4+k  1   flags: 1 it has a version, 2 it expires
 *   …    12  version, with flag 1
 *   …    8   time of expiry in milliseconds since the epoch, with flag 2
 *   …    4   length of the value
 *   …    v   value: bytes, or a document as JSON in UTF-8
 */

const hasVersion = 1
const hasExpiry = 2
const versionBytes = 12
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The parts of a record. The value is not copied. */
export function encodeRecord({ key, entry }: Stored): readonly Bytes[] {
  const { version, expiresAt } = entry
  const keyBytes = Buffer.from(key)
  const isKnown = isVersion(version)
  const body = valueBytes(entry.value)
  const head = Buffer.alloc(
    4 + keyBytes.length + 1 + (isKnown ? versionBytes : 0) + (expiresAt === undefined ? 0 : 8) + 4,
  )
  let at = head.writeUInt32BE(keyBytes.length)
  at += keyBytes.copy(head, at)
  at = head.writeUInt8((isKnown ? hasVersion : 0) | (expiresAt === undefined ? 0 : hasExpiry), at)
  if (isKnown) at += head.write(version, at, 'hex')
  if (expiresAt !== undefined) at = head.writeBigUInt64BE(BigInt(Math.max(0, Math.floor(expiresAt))), at)
  head.writeUInt32BE(body.length, at)
  return [head, body]
}

/**
 * The records of a block.
 *
 * @throws {StoreError} `CORRUPT` for bytes that `encodeRecord` does not make
 */
export function decodeRecords(bytes: Bytes, values: 'bytes' | 'documents'): Stored[] {
  const cursor = new Cursor(bufferOf(bytes))
  const records: Stored[] = []
  while (!cursor.isAtEnd) records.push(decodeRecord(cursor, values))
  return records
}

function decodeRecord(cursor: Cursor, values: 'bytes' | 'documents'): Stored {
  const key = textOf(cursor.take(cursor.number()))
  const flags = cursor.take(1)[0] as number
  if (key === '' || flags > (hasVersion | hasExpiry)) throw damaged('a record cannot be read')
  const version = (flags & hasVersion) === 0 ? undefined : cursor.take(versionBytes).toString('hex')
  const expiresAt = (flags & hasExpiry) === 0 ? undefined : Number(cursor.take(8).readBigUInt64BE())
  // No writer makes one, and stores cannot hold it.
  if (expiresAt !== undefined && expiresAt >= Number.MAX_SAFE_INTEGER)
    throw damaged('an expiry is out of range')
  const body = cursor.take(cursor.number())
  const value = values === 'bytes' ? body : documentOf(body)
  return { key, entry: { value, version, expiresAt } }
}

class Cursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(): number {
    return this.take(4).readUInt32BE()
  }

  take(length: number): Buffer {
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw damaged('a record is cut short')
    return this.#bytes.subarray(from, this.#at)
  }
}

function valueBytes(value: unknown): Bytes {
  if (!isBytes(value)) return Buffer.from(documentText(value as Json))
  if (value.length < 2 ** 32) return value
  throw new StoreError('VALUE_TOO_LARGE', 'A snapshot holds values of less than 4 GiB.')
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw damaged('a key is not text')
  }
}

function documentOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(textOf(bytes))
  } catch {
    throw damaged('a document cannot be read')
  }
}
