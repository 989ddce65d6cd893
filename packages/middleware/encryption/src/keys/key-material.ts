import type { Bytes } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'

/** A root key: 32 random bytes, as they are or written in hexadecimal (64 digits) or base64 (also URL-safe). */
export type KeyMaterial = Bytes | string

/** Length of every root key in bytes, for any algorithm. */
const rootKeyBytes = 32

/**
 * A copy of the bytes of a root key. Passphrases are refused: they hold too little randomness to be keys.
 *
 * @throws {StoreError} `INVALID_CONFIG`, naming the key's identifier and never its content
 */
export function rootKey(id: string, material: unknown): Buffer {
  if (typeof material !== 'string') return checkedKey(id, material)
  const parsed = parse(material)
  try {
    return checkedKey(id, parsed)
  } finally {
    parsed?.fill(0)
  }
}

function checkedKey(id: string, bytes: unknown): Buffer {
  if (!isBytes(bytes) || bytes.length !== rootKeyBytes)
    throw bad(
      id,
      'must be exactly 32 random bytes, or these in hexadecimal or base64. Passphrases are refused',
    )
  if (bytes.every(isPrintable))
    throw bad(
      id,
      'is printable text, so a passphrase and not random bytes. Make one: openssl rand -base64 32',
    )
  if (bytes.every((byte) => byte === bytes[0]))
    throw bad(id, 'repeats one byte. Create one with: openssl rand -base64 32')
  return ownCopy(bytes)
}

/** Memory of its own, not a part of the pool that small buffers share: it can be overwritten whole. */
function ownCopy(bytes: Bytes): Buffer {
  const copy = Buffer.alloc(rootKeyBytes)
  copy.set(bytes)
  return copy
}

function parse(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^(?:[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/.test(text)) return Buffer.from(text, 'base64')
  return undefined
}

/** Random bytes are all printable once in 10^13 keys. */
function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f
}

function bad(id: string, why: string): StoreError {
  return new StoreError('INVALID_CONFIG', `The key '${id}' ${why}.`)
}
