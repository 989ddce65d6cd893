import { type Bytes, StoreError } from '@unikv/core'

/*
 * The delta, byte by byte in docs/reference/delta-format.md:
 *
 *   f8  format 1: no byte of any UTF-8 text
 *       true length of the target, varint
 *       length of the base, varint
 *   4   CRC-32 of the target, big-endian
 *       instructions, to the end
 */

/** First byte of every delta. */
const formatByte = 0xf8

/** Copies have at least this length: a shorter one takes as many bytes as its content. */
export const minCopyBytes = 4

/** Longest base and target: sums of two lengths stay within 31 bits. */
export const maxLength: number = 2 ** 30 - 1

/** Most bytes that a varint takes. */
export const maxVarintBytes = 5

/** Fields of a delta before its instructions. */
export interface Header {
  readonly targetLength: number
  readonly baseLength: number
  readonly checksum: number
  /** Where the instructions begin. */
  readonly end: number
}

/** Write a header to the front of `into`; the answer is where it ends. */
export function writeHeader(
  into: Buffer,
  { targetLength, baseLength, checksum }: Omit<Header, 'end'>,
): number {
  into[0] = formatByte
  const at = writeVarint(into, writeVarint(into, 1, targetLength), baseLength)
  return into.writeUInt32BE(checksum, at)
}

/** @throws {StoreError} `CORRUPT` */
export function readHeader(delta: Bytes): Header {
  if (delta[0] !== formatByte) throw corrupt('is none')
  const reader = new VarintReader(delta, 1)
  const targetLength = reader.next()
  const baseLength = reader.next()
  if (targetLength > maxLength || baseLength > maxLength)
    throw corrupt('declares lengths that no writer produces')
  const end = reader.at + 4
  if (end > delta.length) throw corrupt('ends within its header')
  const checksum = new DataView(delta.buffer, delta.byteOffset + reader.at, 4).getUint32(0)
  return { targetLength, baseLength, checksum, end }
}

/** Write an unsigned number below 2^32, seven bits a byte, the lowest first. The answer is where it ends. */
export function writeVarint(into: Bytes, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest > 127; rest >>>= 7) into[at++] = (rest & 127) | 128
  into[at++] = rest
  return at
}

/** Reads varints, one after the other. */
export class VarintReader {
  /** Where the next one begins. */
  at: number
  readonly #bytes: Bytes

  constructor(bytes: Bytes, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  /** @throws {StoreError} `CORRUPT` for one that is cut, longer than it needs to be, or not below 2^32 */
  next(): number {
    const first = this.#byte()
    return first < 128 ? first : this.#long(first & 127)
  }

  #long(first: number): number {
    let value = first
    for (let shift = 7; shift < 35; shift += 7) {
      const byte = this.#byte()
      if (shift === 28 && byte > 15) break
      value |= (byte & 127) << shift
      if (byte < 128) {
        if (byte === 0) break
        return value >>> 0
      }
    }
    throw corrupt('holds a number that no writer produces')
  }

  #byte(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw corrupt('ends within a number')
    return byte
  }
}

/** The error for bytes that this version cannot have written for this base. */
export function corrupt(what: string): StoreError {
  const message = `The delta ${what}. It was damaged, written by a newer version, or made of another base.`
  return new StoreError('CORRUPT', message)
}
