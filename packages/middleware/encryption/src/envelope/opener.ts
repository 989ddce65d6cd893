import { timingSafeEqual } from 'node:crypto'
import type { Bytes } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { corrupt } from '../corrupt.ts'
import { type Keyring, openingKey } from '../keys/keyring.ts'
import { checkKeys, type KmsKeys } from '../kms/kms-keys.ts'
import { associatedData, type ContextOf, contextOf, type SharedContext } from './associated-data.ts'
import { decryptChunks } from './chunks.ts'
import { type CipherInput, decryptParts, tagBytes } from './cipher.ts'
import { type Header, nonce, readHeader } from './envelope.ts'
import { flags, has } from './flags.ts'
import { type Derived, hkdf } from './hkdf.ts'
import type { KindOf } from './kinds.ts'
import {
  type Plaintext,
  plaintextInOnePiece,
  plaintextOfChunks,
  shortLengthBytes,
  trueKeyOf,
  valueOf,
} from './plaintext.ts'

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

/** Gives true key and value of an envelope that belongs under a hashed key. */
export type OpenNamed = (stored: string, envelope: Bytes) => { readonly key: string; readonly value: Bytes }

/** Gives the value of an envelope, and the true key if it tells one. */
export type OpenEither = (
  stored: string,
  envelope: Bytes,
) => { readonly key: string | undefined; readonly value: Bytes }

/** A plaintext that was verified, and the header that tells its parts. */
type Opened = readonly [plaintext: Plaintext, header: Header]

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
  batch(rootOf?: RootOf): Open {
    const opened = this.#batch(false, rootOf)
    return (key, envelope) => {
      const [plaintext, header] = opened(key, envelope)
      return valueOf(plaintext, header.flags)
    }
  }

  /** The same for records that tell their true key inside; no others are opened. */
  namedBatch(rootOf?: RootOf): OpenNamed {
    const opened = this.#batch(true, rootOf)
    return (stored, envelope) => {
      const [plaintext, header] = opened(stored, envelope)
      return { key: trueKeyOf(plaintext), value: valueOf(plaintext, header.flags) }
    }
  }

  /** The same for records of both kinds: for who seals them again as they were. */
  eitherBatch(rootOf?: RootOf): OpenEither {
    const opened = this.#batch(undefined, rootOf)
    return (stored, envelope) => {
      const [plaintext, header] = opened(stored, envelope)
      const key = has(header.flags, flags.trueKey) ? trueKeyOf(plaintext) : undefined
      return { key, value: valueOf(plaintext, header.flags) }
    }
  }

  #batch(
    named: boolean | undefined,
    rootOf: RootOf = (header) => openingKey(this.#keys, header),
  ): (key: string, envelope: Bytes) => Opened {
    let last: { readonly header: Header; readonly derived: Derived } | undefined
    return (key, envelope) => {
      const header = readHeader(envelope)
      if (named !== undefined) checkNamed(header, named)
      const root = rootOf(header)
      if (last === undefined || !sharesDerivation(last.header, header))
        last = { header, derived: hkdf(root, header.salt, header.suite.info) }
      return [this.#plaintext(key, envelope, header, last.derived), header]
    }
  }

  /** The parts that open a stream with that header chunk by chunk. */
  stream(key: string, header: Header, rootOf: RootOf = (at) => openingKey(this.#keys, at)): CipherInput {
    checkNamed(header, false)
    return this.#input(key, header, hkdf(rootOf(header), header.salt, header.suite.info))
  }

  #plaintext(key: string, envelope: Bytes, header: Header, derived: Derived): Plaintext {
    const input = this.#input(key, header, derived)
    const plaintext = decrypted(input, header, envelope.subarray(header.bytes.length))
    if (plaintext === undefined) throw notAuthentic()
    return plaintext
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

/** A layer with hashed names does not open records of one without, nor the reverse: a plain key would be taken for a hash. */
function checkNamed(header: Header, named: boolean): void {
  if (has(header.flags, flags.trueKey) === named) return
  throw corrupt(
    named ? 'was written without hashed key names' : 'has a hashed key name: open it with the same names',
  )
}

/** The plaintext, or `undefined` if anything in it is not authentic: nothing comes out before all tags agreed. */
function decrypted(input: CipherInput, { chunkBytes }: Header, sealed: Bytes): Plaintext | undefined {
  if (chunkBytes !== undefined) {
    const plaintext = decryptChunks(input, chunkBytes, sealed)
    return plaintext && plaintextOfChunks(plaintext)
  }
  const tagAt = sealed.length - tagBytes
  const parts = decryptParts(input, sealed.subarray(0, tagAt), sealed.subarray(tagAt), shortLengthBytes)
  return parts && plaintextInOnePiece(parts)
}

/** Salt and all before the index, so that no record is opened by a key of another suite or identifier. */
function sharesDerivation(a: Header, b: Header): boolean {
  return a.salt.equals(b.salt) && a.bytes.compare(b.bytes, 0, b.indexAt, 0, a.indexAt) === 0
}

/** One message for all causes: which of them it was would help only an attacker. */
export function notAuthentic(): StoreError {
  return new StoreError(
    'AUTHENTICATION_FAILED',
    'The key is wrong, or the data was changed: the envelope is not authentic here. It may also belong to another record, dataset, kind or context.',
  )
}
