import { createHash } from 'node:crypto'
import type { Bytes } from '@unikv/core'

const domain = 'unikv delta 1\u0000'

/** SHA-256 of these bytes, one after the other. */
export function sha256(...parts: readonly (Bytes | string)[]): Bytes {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Binds a base to its key and its id: the link before the first delta. */
export function firstLink(canonical: string, baseId: string, baseHash: Bytes): Bytes {
  const key = Buffer.from(canonical, 'utf8')
  return sha256(domain, Buffer.from(baseId, 'hex'), number(key.length), key, baseHash)
}

/** Binds a delta to its number (from 1) and to all that comes before it. */
export function nextLink(link: Bytes, sequence: number, delta: Bytes): Bytes {
  return sha256(link, number(sequence), delta)
}

/** The seal of a head: over the last link, all that the head tells, and the value. */
export function sealOf(link: Bytes, told: Bytes, valueHash: Bytes): Bytes {
  return sha256(link, told, valueHash)
}

function number(value: number): Bytes {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
