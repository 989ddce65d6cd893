import { StoreError } from '../contract/errors.ts'
import { isBytes } from '../platform/realms.ts'

/**
 * How the keys of an application become strings and back. `encode` must be injective. For ranges it must also keep the
 * order: encoded keys compare as unsigned UTF-8 bytes.
 */
export interface KeyCodec<in out K> {
  readonly name: string
  /** @throws {StoreError} `INVALID_KEY` if this is not a key of this codec */
  encode(key: K): string
  /**
   * The key that `encode` made this text of.
   *
   * @throws {StoreError} `CORRUPT` for what `encode` does not make
   */
  decode(encoded: string): K
  /**
   * The text with which the keys begin that begin with these parts. Without it a prefix is text.
   *
   * @throws {StoreError} `INVALID_KEY` if keys cannot begin with these parts
   */
  encodePrefix?(prefix: unknown): string
}

/** Text keys, as they are: no normalisation, no reserved character. The default. */
export function textKey(): KeyCodec<string> {
  return { name: 'text', encode: (key) => key, decode: (encoded) => encoded }
}

/** Byte keys, in byte order. Bytes from 0x80 count twice towards the length limit. */
export function bytesKey(): KeyCodec<Uint8Array> {
  return {
    name: 'bytes',
    encode(key) {
      if (!isBytes(key))
        throw new StoreError('INVALID_KEY', 'The key must be a Uint8Array, because this store uses bytesKey.')
      return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
    },
    decode: (encoded) => {
      if (/[^\u0000-\u00ff]/.test(encoded)) throw foreignKey('byte')
      return new Uint8Array(Buffer.from(encoded, 'latin1'))
    },
  }
}

/** A part of a tuple key. */
export type KeyPart = string | number | boolean

/**
 * Keys of several parts, ordered part by part: booleans, then numbers (by value), then strings (by code point).
 *
 * Each part is a type character, its text, and U+0000; U+0000 and U+0001 in strings are escaped. Numbers are 16
 * hexadecimal digits of their IEEE 754 bits, flipped so that they sort; NaN is refused, and −0 is 0.
 */
export function tupleKey<T extends readonly KeyPart[] = readonly KeyPart[]>(): KeyCodec<T> {
  return {
    name: 'tuple',
    encode: encodeParts,
    encodePrefix: encodeParts,
    decode: (encoded) => {
      const parts = encoded.split('\u0000')
      if (parts.pop() !== '' || parts.length === 0) throw foreignKey('tuple')
      return parts.map(decodePart) as unknown as T
    },
  }
}

function encodeParts(key: unknown): string {
  if (!Array.isArray(key) || key.length === 0)
    throw new StoreError(
      'INVALID_KEY',
      'The key must be a non-empty array, because this store uses tupleKey.',
    )
  return key.map((part: unknown) => encodePart(part)).join('')
}

function encodePart(part: unknown): string {
  if (typeof part === 'boolean') return part ? 'bt\u0000' : 'bf\u0000'
  if (typeof part === 'number' && !Number.isNaN(part)) return `n${sortableBits(part)}\u0000`
  if (typeof part === 'string')
    return `s${part.replace(/[\u0000\u0001]/g, (c) => `\u0001${c === '\u0000' ? '0' : '1'}`)}\u0000`
  throw new StoreError('INVALID_KEY', 'A part of a tuple key must be a string, a number or a boolean.')
}

/** A part that `encode` makes this text of, and no other. */
function decodePart(text: string): KeyPart {
  const part = readPart(text)
  if (Number.isNaN(part) || encodePart(part) !== `${text}\u0000`) throw foreignKey('tuple')
  return part
}

function readPart(text: string): KeyPart {
  const rest = text.slice(1)
  if (text[0] === 'b') return rest === 't'
  if (/^n[0-9a-f]{16}$/.test(text)) return fromSortableBits(rest)
  return rest.replace(/\u0001([01])/g, (_, c) => (c === '0' ? '\u0000' : '\u0001'))
}

function foreignKey(kind: 'byte' | 'tuple'): StoreError {
  const message = `A key in the store is not a ${kind} key. It was written with another key codec: use one codec for each namespace.`
  return new StoreError('CORRUPT', message)
}

const bits = new DataView(new ArrayBuffer(8))
const signBit = 1n << 63n
const allBits = (1n << 64n) - 1n

/** Negative numbers: all bits flipped; others: the sign bit set. Then bits sort as numbers do. */
function sortableBits(value: number): string {
  bits.setFloat64(0, value === 0 ? 0 : value)
  const raw = bits.getBigUint64(0)
  return ((raw & signBit) === 0n ? raw | signBit : raw ^ allBits).toString(16).padStart(16, '0')
}

function fromSortableBits(text: string): number {
  const sorted = BigInt(`0x${text}`)
  bits.setBigUint64(0, (sorted & signBit) === 0n ? sorted ^ allBits : sorted & ~signBit & allBits)
  return bits.getFloat64(0)
}
