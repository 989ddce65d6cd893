import type { Bytes } from '@unikv/core'
import { type Keyring, type KmsKeys, openStream, sealStream } from '@unikv/encryption'

/** Envelopes of snapshots are bound to this: no other envelope is taken for one. */
const context = { dataset: 'unikv snapshot', key: 'snapshot' } as const
const envelopeMagic = Buffer.from('9e756b76', 'hex')

/** A snapshot as one envelope in chunks: each authenticated with its number, and the end with it. */
export function sealed(bytes: AsyncIterable<Bytes>, keys: Keyring | KmsKeys): AsyncIterable<Bytes> {
  return sealStream(bytes, { ...context, keys: keys as Keyring })
}

/** The snapshot in an envelope. */
export function unsealed(bytes: AsyncIterable<Bytes>, keys: Keyring | KmsKeys): AsyncIterable<Bytes> {
  return openStream(bytes, { ...context, keys: keys as Keyring })
}

/** Whether a file that starts so is encrypted. */
export function isSealed(start: Bytes): boolean {
  return Buffer.compare(start.subarray(0, envelopeMagic.length), envelopeMagic) === 0
}
