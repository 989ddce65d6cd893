import { timingSafeEqual } from 'node:crypto'
import { type Bytes, StoreError } from '@unikv/core'
import { associatedData, type ContextOf, contextOf, type SharedContext } from './associated-data.ts'
import { decryptChunks } from './chunks.ts'
import { type CipherInput, decrypt, tagBytes } from './cipher.ts'
import { type Header, nonce, readHeader } from './envelope.ts'
import { type Derived, hkdf } from './hkdf.ts'
import { type Keyring, openingKey } from './keyring.ts'
import type { KindOf } from './kinds.ts'
import { checkKeys, type KmsKeys } from './kms/kms-keys.ts'
import { valueOf } from './plaintext.ts'

/** With what, and for what, envelopes are opened. */
export interface OpenerOptions extends SharedContext {
  readonly keys: Keyring | KmsKeys
  /** Where the kind depends on the key. @default always that of the context */
  readonly kindOf?: KindOf | undefined
}

/** The root key of an envelope. Its bytes are used at once and never kept. */
export type RootOf = (header: Header) => Buffer

/** Gives the value of an envelope that belongs under a canonical key. */
export type Open = (key: string, envelope: Bytes) => Bytes

/** Opens what any enabled key of a keyring sealed, with any algorithm of this version. */
export class Opener {
  readonly #keys: Keyring | KmsKeys
  readonly #contextOf: ContextOf

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor({ keys, kindOf, ...context }: OpenerOptions) {
    checkKeys(keys)
    this.#keys = keys
    this.#contextOf = contextOf(context, kindOf)
  }

  /** A function for the records of one answer: those that share a salt are derived once, and all are verified. */
  batch(rootOf: RootOf = (header) => openingKey(this.#keys, header)): Open {
    let last: { readonly header: Header; readonly derived: Derived } | undefined
    return (key, envelope) => {
      const header = readHeader(envelope)
      const root = rootOf(header)
      if (last === undefined || !sharesDerivation(last.header, header))
        last = { header, derived: hkdf(root, header.salt, header.suite.info) }
      return this.#open(key, envelope, header, last.derived)
    }
  }

  /** What a stream with that header needs to be opened chunk by chunk. */
  stream(key: string, header: Header): CipherInput {
    const root = openingKey(this.#keys, header)
    return this.#input(key, header, hkdf(root, header.salt, header.suite.info))
  }

  #open(key: string, envelope: Bytes, header: Header, derived: Derived): Buffer {
    const input = this.#input(key, header, derived)
    const plaintext = decrypted(input, header, envelope.subarray(header.bytes.length))
    if (plaintext === undefined) throw notAuthentic()
    return valueOf(plaintext, header.flags)
  }

  /** Nothing is decrypted before the commitment agreed. */
  #input(key: string, header: Header, derived: Derived): CipherInput {
    if (!timingSafeEqual(derived.commitment, header.commitment)) throw notAuthentic()
    return {
      suite: header.suite,
      key: derived.key,
      nonce: nonce(header.index),
      associatedData: associatedData(header.bytes, this.#contextOf(key), key),
    }
  }
}

/** The plaintext, or `undefined` if anything in it is not authentic: nothing comes out before all tags agreed. */
function decrypted(input: CipherInput, { chunkBytes }: Header, sealed: Bytes): Buffer | undefined {
  if (chunkBytes !== undefined) return decryptChunks(input, chunkBytes, sealed)
  const tagAt = sealed.length - tagBytes
  return decrypt(input, sealed.subarray(0, tagAt), sealed.subarray(tagAt))
}

/** Salt and all before the index, so that no record is opened by a key of another suite or identifier. */
function sharesDerivation(a: Header, b: Header): boolean {
  return a.salt.equals(b.salt) && a.bytes.compare(b.bytes, 0, b.indexAt, 0, a.indexAt) === 0
}

/** One message for all causes: which of them it was would help only an attacker. */
export function notAuthentic(): StoreError {
  return new StoreError(
    'AUTHENTICATION_FAILED',
    'The envelope is not authentic here: it was changed, belongs to another key, dataset, kind or context, or was sealed with other key bytes.',
  )
}
