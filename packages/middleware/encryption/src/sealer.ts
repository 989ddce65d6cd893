import { type Bytes, StoreError } from '@unikv/core'
import { associatedData, type SharedContext, sharedContext } from './associated-data.ts'
import { encrypt, maxPlaintextBytes, tagBytes } from './cipher.ts'
import { type Header, headerLength, headerStart, nonce, startLength, writeHeader } from './envelope.ts'
import { flags } from './flags.ts'
import { type Derived, hkdf } from './hkdf.ts'
import { isKeyring, type Keyring, sealingKey } from './keyring.ts'
import { checkKeys, type KmsKeys } from './kms/kms-keys.ts'
import { type PaddedLength, type Padding, paddedLength } from './padding.ts'
import { plaintextBytes, plaintextOf } from './plaintext.ts'
import { saltSource } from './salts.ts'
import type { SealingKey } from './sealing-key.ts'
import { type Algorithm, type Suite, suiteOf } from './suites.ts'
import { maxWrappedBytes } from './wrapped-keys.ts'

/** With what, and for what, envelopes are made. */
export interface SealerOptions extends SharedContext {
  readonly keys: Keyring | KmsKeys
  readonly algorithm?: Algorithm | undefined
  /** @default 'none' */
  readonly padding?: Padding | undefined
}

/** Makes one envelope of a value under a canonical key. */
export type Seal = (key: string, value: Bytes) => Buffer

/** How many envelopes may share one derivation. Far below the 2^32 nonces that a derived key has. */
const maxShared = 65_536

/** What the records of a batch share. */
interface Derivation {
  readonly start: Buffer
  readonly salt: Buffer
  readonly derived: Derived
}

/** Seals under the primary key of a keyring, or a given data key. What does not change from record to record is made once. */
export class Sealer {
  readonly suite: Suite
  readonly #padded: PaddedLength | undefined
  readonly #keys: Keyring | KmsKeys
  /** Of the longest header start that these keys may have, as far as is known now. */
  readonly #startBytes: number
  #start: { readonly of: SealingKey; readonly bytes: Buffer } | undefined
  readonly #shared: Buffer
  readonly #salt: () => Buffer

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(
    { keys, algorithm = 'aes-256-gcm', padding = 'none', ...context }: SealerOptions,
    salt: () => Buffer = saltSource(),
  ) {
    checkKeys(keys)
    this.#keys = keys
    this.suite = suiteOf(algorithm)
    this.#padded = paddedLength(padding)
    this.#startBytes = longestStart(keys)
    this.#shared = sharedContext(context)
    this.#salt = salt
  }

  /** Bytes of the envelope of a value of that length. Never falls as the value grows. */
  sealedBytes(valueBytes: number, startBytes: number = this.#startBytes): number {
    return headerLength(startBytes) + plaintextBytes(valueBytes, this.#padded) + tagBytes
  }

  /** Length of the longest value whose envelope has at most that many bytes; 0 if there is none. */
  maxValueBytes(envelopeBytes: number): number {
    let fits = 0
    let not = maxPlaintextBytes
    while (not - fits > 1) {
      const half = Math.floor((fits + not) / 2)
      if (this.#isSealable(half) && this.sealedBytes(half) <= envelopeBytes) fits = half
      else not = half
    }
    return fits
  }

  #isSealable(valueBytes: number): boolean {
    return plaintextBytes(valueBytes, this.#padded) <= maxPlaintextBytes
  }

  /**
   * A function for the records of one batch. They share one salt and so one derivation, which costs more than
   * the cipher for small values; each takes the next index as its nonce.
   *
   * No pair of key and nonce occurs twice: the salt is new for every batch, the index grows by one with every
   * record, and the function is used up before the index could repeat.
   *
   * `keyNow` is asked whenever a key is derived, so that no key is used after it was replaced.
   */
  batch(keyNow: () => SealingKey = () => sealingKey(this.#keys)): Seal {
    let one: Derivation | undefined
    let index = 0
    return (key, value) => {
      if (one === undefined || index === maxShared) {
        one = this.#derive(keyNow())
        index = 0
      }
      return this.#seal(key, value, { ...one, index: index++ })
    }
  }

  /** The header start of envelopes that are sealed with this key. */
  #startOf(key: SealingKey): Buffer {
    if (this.#start?.of !== key)
      this.#start = { of: key, bytes: headerStart(this.suite, this.#flags(key), key) }
    return this.#start.bytes
  }

  /** Whether an envelope is as this sealer would make it with this key now; chunks are a matter of length. */
  isLike(header: Header, key: Omit<SealingKey, 'root'>): boolean {
    return (
      header.suite === this.suite &&
      header.keyringId === key.keyringId &&
      header.keyId === key.id &&
      (header.flags & ~flags.chunked) === this.#flags(key)
    )
  }

  #flags({ wrapped }: Pick<SealingKey, 'wrapped'>): number {
    return (this.#padded ? flags.padded : 0) | (wrapped === undefined ? 0 : flags.wrappedKeys)
  }

  #derive(key: SealingKey): Derivation {
    const salt = this.#salt()
    return { start: this.#startOf(key), salt, derived: hkdf(key.root, salt, this.suite.info) }
  }

  #seal(
    key: string,
    value: Bytes,
    { start, salt, derived, index }: Derivation & { readonly index: number },
  ): Buffer {
    if (!this.#isSealable(value.length))
      throw new StoreError(
        'VALUE_TOO_LARGE',
        `The value has ${value.length} bytes, one envelope takes ${this.maxValueBytes(Infinity)}.`,
      )
    const envelope = Buffer.allocUnsafe(this.sealedBytes(value.length, start.length))
    const bodyAt = writeHeader(envelope, start, { index, salt, commitment: derived.commitment })
    const input = {
      suite: this.suite,
      key: derived.key,
      nonce: nonce(index),
      associatedData: associatedData(envelope.subarray(0, bodyAt), this.#shared, key),
    }
    encrypt(input, plaintextOf(value, this.#padded), envelope, bodyAt)
    return envelope
  }
}

/** Identifiers are as long as the longest that is there now; of data keys anything may come that the format allows. */
function longestStart(keys: Keyring | KmsKeys): number {
  if (!isKeyring(keys)) return startLength(keys.id, keys.keyId) + maxWrappedBytes
  return Math.max(...Object.keys(keys.states).map((id) => startLength(keys.id, id)))
}
