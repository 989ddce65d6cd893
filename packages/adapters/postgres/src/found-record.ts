import { corrupt } from '@unikv/core/adapter'
import type { Row } from './client/postgres-client.ts'

/** A record as the statements that read answer it: its columns are version, expiry, body and, where there are many, key. */
export interface FoundRecord {
  /** Hexadecimal; `''` where a page is read without values. */
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined
  /** The body, or its text: base64 of bytes, JSON of documents. `null`: it was not asked for, or is known. */
  readonly body: Buffer | string | null
  /** The bytes of the key, a character each. */
  readonly key: string
}

/** The record in a row of text. */
export function textRecord([version, expiry = null, body = null, key]: Row): FoundRecord {
  const expiresAt = expiry === null ? undefined : Number(expiry)
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) throw corrupt('The row')
  return {
    version: version ?? '',
    expiresAt,
    body,
    key: Buffer.from(key ?? '', 'hex').toString('latin1'),
  }
}

/**
 * The record in a row in the binary form of the protocol: the number of columns, and each with its length in front.
 * The body is a copy, unless most of the memory is its own.
 *
 * @param start where the row begins in `bytes`
 * @throws RangeError if the row is longer than the bytes
 */
export function binaryRecord(bytes: Buffer, start: number): FoundRecord {
  const columns = new Columns(bytes, start)
  return {
    version: columns.next() ? columns.text('hex') : '',
    expiresAt: columns.next() ? columns.int8() : undefined,
    body: columns.next() ? columns.bytes() : null,
    key: columns.next() ? columns.text('latin1') : '',
  }
}

const int16Bytes = 2
const int32Bytes = 4

/** The columns of a row, one after the other. */
class Columns {
  readonly #bytes: Buffer
  #left: number
  #from = 0
  #to: number

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#left = bytes.readInt16BE(start)
    this.#to = start + int16Bytes
  }

  /** Go on to the next column. Whether there is one that is not null. */
  next(): boolean {
    if (this.#left-- <= 0) return false
    const length = this.#bytes.readInt32BE(this.#to)
    this.#from = this.#to + int32Bytes
    this.#to = this.#from + Math.max(0, length)
    if (this.#to > this.#bytes.length) throw new RangeError('A row ends before its columns do.')
    return length >= 0
  }

  text(encoding: 'hex' | 'latin1'): string {
    return this.#bytes.toString(encoding, this.#from, this.#to)
  }

  int8(): number {
    if (this.#to - this.#from !== 2 * int32Bytes) throw corrupt('The row')
    const high = this.#bytes.readInt32BE(this.#from)
    const number = high * 2 ** 32 + this.#bytes.readUInt32BE(this.#from + int32Bytes)
    if (!Number.isSafeInteger(number)) throw corrupt('The row')
    return number
  }

  bytes(): Buffer {
    const bytes = this.#bytes.subarray(this.#from, this.#to)
    return 2 * bytes.length > bytes.buffer.byteLength ? bytes : Buffer.from(bytes)
  }
}
