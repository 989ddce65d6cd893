import type { Bytes } from '../contract/bytes.ts'

/** A part of a record with a fixed length: how it is put into bytes, and read. Numbers are big-endian. */
export interface Field<T> {
  readonly bytes: number
  /** Put a value where there is room for it. */
  readonly put: (into: Buffer, at: number, value: T) => unknown
  /** Read the value at a place. */
  readonly get: (from: Buffer, at: number) => T
}

/** A number from 0 to 255. */
export const u8: Field<number> = {
  bytes: 1,
  put: (into, at, value) => into.writeUInt8(value, at),
  get: (from, at) => from.readUInt8(at),
}

/** A whole number below 2³². */
export const u32: Field<number> = {
  bytes: 4,
  put: (into, at, value) => into.writeUInt32BE(value, at),
  get: (from, at) => from.readUInt32BE(at),
}

/** A whole number in 8 bytes; above 2⁵³ it is read without its last bits. */
export const u64: Field<number> = {
  bytes: 8,
  put: (into, at, value) => into.writeBigUInt64BE(BigInt(value), at),
  get: (from, at) => Number(from.readBigUInt64BE(at)),
}

/** Any number, as it is in memory. */
export const double: Field<number> = {
  bytes: 8,
  put: (into, at, value) => into.writeDoubleBE(value, at),
  get: (from, at) => from.readDoubleBE(at),
}

const latest = 2 ** 48 - 1

/** Whole milliseconds since the epoch in 6 bytes; 0 is `undefined`: never. */
export const time: Field<number | undefined> = {
  bytes: 6,
  put: (into, at, value) =>
    into.writeUIntBE(value === undefined ? 0 : Math.min(latest, Math.max(1, Math.floor(value))), at, 6),
  get: (from, at) => from.readUIntBE(at, 6) || undefined,
}

/** So many bytes, as hexadecimal text. */
export function hex(bytes: number): Field<string> {
  return {
    bytes,
    put: (into, at, value) => into.write(value, at, bytes, 'hex'),
    get: (from, at) => from.toString('hex', at, at + bytes),
  }
}

/** The head of a record: bytes by which it is known, and fields in the order in which they are given. */
export class Layout<V extends object> {
  /** How long a head is. */
  readonly bytes: number
  readonly #magic: readonly number[]
  readonly #fields: readonly (readonly [name: keyof V, field: Field<unknown>, at: number])[]

  constructor(magic: readonly number[], fields: { readonly [K in keyof V]: Field<V[K]> }) {
    let bytes = magic.length
    this.#magic = magic
    this.#fields = Object.entries(fields as Readonly<Record<string, Field<unknown>>>).map(([name, field]) => [
      name as keyof V,
      field,
      (bytes += field.bytes) - field.bytes,
    ])
    this.bytes = bytes
  }

  /** A head, parts behind it, and room for `more` bytes at the end, with anything in them. */
  encode(values: V, parts: readonly Bytes[] = [], more: number = 0): Buffer {
    let at = this.bytes
    const record = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, at + more))
    record.set(this.#magic)
    for (const [name, { put }, place] of this.#fields) put(record, place, values[name])
    for (const part of parts) {
      record.set(part, at)
      at += part.length
    }
    return record
  }

  /** The fields of the head at a place; `undefined` if there is none. */
  decode(record: Buffer, from: number = 0): V | undefined {
    if (record.length - from < this.bytes) return undefined
    if (this.#magic.some((byte, i) => record[from + i] !== byte)) return undefined
    const values: { [K in keyof V]?: unknown } = {}
    for (const [name, { get }, place] of this.#fields) values[name] = get(record, from + place)
    return values as V
  }
}

/** The same bytes as a `Buffer`. */
export function bufferOf({ buffer, byteOffset, length }: Bytes): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}
