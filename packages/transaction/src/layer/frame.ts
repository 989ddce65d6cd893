import type { Bytes, Version } from '@unikv/core'
import { corrupt } from '@unikv/core/adapter'

/*
 * A record that a transaction has prepared. All other records are stored as they are.
 *
 *   0  4  f8 'u' 't' 'x': no byte of any UTF-8 text
 *   4  1  kind; 0: the rest is a value that begins as a frame does
 *   5  1  length of the transaction's id, and the id
 *   …     the present record, and the record that a commit leaves. Each: 1 byte (0: none), then 24 its version, 8 its expiry (0: never),
 *         4 the length of its value, and the value
 */

const magic = Buffer.from([0xf8, 0x75, 0x74, 0x78])
const escaped = 0
const prepared = 1

/** A record as it was, or as it will be. */
export interface Part {
  readonly value: Bytes
  readonly version: Version
  readonly expiresAt: number | undefined
}

/** A record between two states. */
export interface Frame {
  /** Id of the transaction. */
  readonly by: string
  /** The record that everyone sees unless the transaction commits; `undefined`: none. */
  readonly present: Part | undefined
  /** The record that its commit leaves; `undefined`: none. */
  readonly next: Part | undefined
}

/** Longest frame around two values, beside them. */
export const frameBytes: number = magic.length + 2 + 255 + 2 * 37

/** Whether bytes begin as a frame does. */
export function isFrame(bytes: Bytes): boolean {
  if (bytes[0] !== magic[0]) return false
  return bytes.length > magic.length && magic.every((byte, i) => bytes[i] === byte)
}

/** A value as it is stored. */
export function stored(value: Bytes): Bytes {
  return isFrame(value) ? Buffer.concat([magic, Buffer.of(escaped), value]) : value
}

/** The value that is stored so; a frame stays a frame. */
export function unescaped(bytes: Bytes): Bytes {
  return isFrame(bytes) && bytes[magic.length] === escaped ? bytes.subarray(magic.length + 1) : bytes
}

/** Whether bytes are a record that a transaction has prepared. */
export function isPrepared(bytes: Bytes): boolean {
  return isFrame(bytes) && bytes[magic.length] === prepared
}

export function writeFrame({ by, present, next }: Frame): Bytes {
  const id = Buffer.from(by)
  return Buffer.concat([magic, Buffer.of(prepared, id.length), id, ...partBytes(present), ...partBytes(next)])
}

/** @throws {StoreError} `CORRUPT` */
export function readFrame(bytes: Bytes): Frame {
  const reader = new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), magic.length)
  if (reader.byte() !== prepared) throw corrupt('A record of a transaction', 'has an unknown form')
  const frame = { by: reader.text(reader.byte()), present: reader.part(), next: reader.part() }
  reader.end()
  return frame
}

function partBytes(part: Part | undefined): readonly Uint8Array[] {
  if (part === undefined) return [Buffer.of(0)]
  const head = Buffer.alloc(37)
  head[0] = 1
  head.write(part.version, 1, 'latin1')
  head.writeDoubleBE(part.expiresAt ?? 0, 25)
  head.writeUInt32BE(part.value.length, 33)
  return [head, part.value]
}

/** Reads a frame from its start to its end. */
class Reader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  byte(): number {
    return this.#take(1)[0] as number
  }

  text(length: number): string {
    return this.#take(length).toString('utf8')
  }

  part(): Part | undefined {
    if (this.byte() === 0) return undefined
    const version = this.text(24)
    const expiresAt = this.#take(8).readDoubleBE()
    const value = this.#take(this.#take(4).readUInt32BE())
    return { value, version, expiresAt: expiresAt === 0 ? undefined : expiresAt }
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw cut()
  }

  #take(length: number): Buffer {
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw cut()
    return this.#bytes.subarray(from, this.#at)
  }
}

function cut(): Error {
  return corrupt('A record of a transaction', 'does not have the length that it tells')
}
