import type { Bytes } from '@unikv/core'
import { corrupt } from './corrupt.ts'

const maxVarintBytes = 5

/** Reads the fields of a record one after the other. Every length is checked before it is used. */
export class FieldReader {
  /** Where the next field begins. */
  at: number
  readonly #bytes: Bytes

  constructor(bytes: Bytes, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.at
  }

  /** The next bytes, as a view. */
  take(length: number): Bytes {
    if (length > this.left) throw corrupt('ends too early')
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }

  /** An unsigned number below 2^32, seven bits a byte, the lowest first, in as few bytes as it needs. */
  varint(): number {
    let value = 0
    for (let i = 0; i < maxVarintBytes; i++) {
      const byte = this.take(1)[0] as number
      value += (byte & 127) * 2 ** (7 * i)
      if (byte < 128) {
        if ((byte === 0 && i > 0) || value >= 2 ** 32) break
        return value
      }
    }
    throw corrupt('holds a number that no writer produces')
  }

  /** How many things follow that take at least `leastBytes` each. */
  count(leastBytes: number): number {
    const count = this.varint()
    if (count * leastBytes > this.left) throw corrupt('ends too early')
    return count
  }

  /** @throws {StoreError} `CORRUPT` if anything is left */
  end(): void {
    if (this.left > 0) throw corrupt('has bytes after its end')
  }
}

/** A number as `FieldReader.varint` reads it. */
export function varint(value: number): Bytes {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
