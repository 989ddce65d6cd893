import { type Bytes, StoreError } from '@unikv/core'
import { associatedData, type SharedContext, sharedContext } from './associated-data.ts'
import { encrypt, maxPlaintextBytes, tagBytes } from './cipher.ts'
import { headerLength, headerStart, nonce, writeHeader } from './envelope.ts'
import { flags } from './flags.ts'
import { type Derived, hkdf } from './hkdf.ts'
import { type Keyring, sealingKey } from './keyring.ts'
import { type PaddedLength, type Padding, paddedLength } from './padding.ts'
import { plaintextBytes, plaintextOf, trueKeyBytes } from './plaintext.ts'
import { saltSource } from './salts.ts'
import { type Algorithm, type Suite, suiteOf } from './suites.ts'

/** With what, and for what, envelopes are made. */
export interface SealerOptions extends SharedContext {
  readonly keys: Keyring
  readonly algorithm?: Algorithm | undefined
  /** @default 'none' */
  readonly padding?: Padding | undefined
  /** Longest true key in bytes, if records tell theirs inside. */
  readonly maxTrueKeyBytes?: number | undefined
}

/** Makes one envelope of a value under a canonical key. The true one comes with it where the store knows a hash. */
export type Seal = (key: string, value: Bytes, trueKey?: string) => Buffer

/** How many envelopes may share one derivation. Far below the 2^32 nonces that a derived key has. */
const maxShared = 65_536

/** Seals under the primary key of a keyring. What does not change from record to record is made once. */
export class Sealer {
  readonly #suite: Suite
  readonly #padded: PaddedLength | undefined
  /** Most bytes before a value. */
  readonly #leadBytes: number
  readonly #root: Buffer
  readonly #start: Buffer
  readonly #shared: Buffer
  readonly #salt: () => Buffer

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(
    { keys, algorithm = 'aes-256-gcm', padding = 'none', maxTrueKeyBytes, ...context }: SealerOptions,
    salt: () => Buffer = saltSource(),
  ) {
    this.#root = sealingKey(keys)
    this.#suite = suiteOf(algorithm)
    this.#padded = paddedLength(padding)
    this.#leadBytes = maxTrueKeyBytes === undefined ? 0 : 4 + maxTrueKeyBytes
    const bits = (this.#padded ? flags.padded : 0) | (this.#leadBytes > 0 ? flags.trueKey : 0)
    this.#start = headerStart(this.#suite, bits, keys.id, keys.primary)
    this.#shared = sharedContext(context)
    this.#salt = salt
  }

  /** Most bytes of the envelope of a value of that length. Never falls as the value grows. */
  sealedBytes(valueBytes: number): number {
    return this.#envelopeBytes(valueBytes + this.#leadBytes)
  }

  #envelopeBytes(contentBytes: number): number {
    return headerLength(this.#start) + plaintextBytes(contentBytes, this.#padded) + tagBytes
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
    return plaintextBytes(valueBytes + this.#leadBytes, this.#padded) <= maxPlaintextBytes
  }

  /**
   * A function for the records of one batch. They share one salt and so one derivation, which costs more than
   * the cipher for small values; each takes the next index as its nonce.
   *
   * No pair of key and nonce occurs twice: the salt is new for every batch, the index grows by one with every
   * record, and the function is used up before the index could repeat.
   */
  batch(): Seal {
    let salt: Buffer | undefined
    let derived: Derived | undefined
    let index = 0
    return (key, value, trueKey) => {
      if (salt === undefined || derived === undefined || index === maxShared) {
        salt = this.#salt()
        derived = hkdf(this.#root, salt, this.#suite.info)
        index = 0
      }
      return this.#seal(key, [value, trueKey], { salt, derived, index: index++ })
    }
  }

  #seal(
    key: string,
    [value, trueKey]: readonly [Bytes, string | undefined],
    { salt, derived, index }: { readonly salt: Buffer; readonly derived: Derived; readonly index: number },
  ): Buffer {
    if (!this.#isSealable(value.length))
      throw new StoreError(
        'VALUE_TOO_LARGE',
        `The value has ${value.length} bytes, one envelope takes ${this.maxValueBytes(Infinity)}.`,
      )
    const envelope = Buffer.allocUnsafe(this.#envelopeBytes(trueKeyBytes(trueKey) + value.length))
    const bodyAt = writeHeader(envelope, this.#start, { index, salt, commitment: derived.commitment })
    const input = {
      suite: this.#suite,
      key: derived.key,
      nonce: nonce(index),
      associatedData: associatedData(envelope.subarray(0, bodyAt), this.#shared, key),
    }
    encrypt(input, plaintextOf(value, this.#padded, trueKey), envelope, bodyAt)
    return envelope
  }
}
