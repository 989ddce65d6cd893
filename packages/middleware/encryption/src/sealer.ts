import { type Bytes, StoreError } from '@unikv/core'
import { associatedData, type SharedContext, sharedContext } from './associated-data.ts'
import { encrypt } from './cipher.ts'
import {
  headerStart,
  maxSealedBytes,
  nonce,
  overheadBytes,
  trueLengthBytes,
  writeHeader,
} from './envelope.ts'
import { type Derived, hkdf } from './hkdf.ts'
import { type Keyring, type SealingKey, sealingKey } from './keyring.ts'
import { saltSource } from './salts.ts'
import { type Algorithm, type Suite, suiteOf } from './suites.ts'

/** With what, and for what, envelopes are made. */
export interface SealerOptions extends SharedContext {
  readonly keys: Keyring
  readonly algorithm?: Algorithm | undefined
}

/** Makes one envelope of a value under a canonical key. */
export type Seal = (key: string, value: Bytes) => Buffer

/** How many envelopes may share one derivation. Far below the 2^32 nonces that a derived key has. */
const maxShared = 65_536

/** Seals under the primary key of a keyring. What does not change from record to record is made once. */
export class Sealer {
  readonly overheadBytes: number
  readonly #suite: Suite
  readonly #keys: Keyring
  #start: Start
  readonly #shared: Buffer
  readonly #salt: () => Buffer

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(
    { keys, algorithm = 'aes-256-gcm', ...context }: SealerOptions,
    salt: () => Buffer = saltSource(),
  ) {
    this.#keys = keys
    this.#suite = suiteOf(algorithm)
    this.#start = this.#startOf(sealingKey(keys))
    this.#shared = sharedContext(context)
    this.#salt = salt
    this.overheadBytes = overheadBytes(keys.id, keys.primary)
  }

  /**
   * A function for the records of one batch. They share one salt and so one derivation, which costs more than
   * the cipher for small values; each takes the next index as its nonce.
   *
   * No pair of key and nonce occurs twice: the salt is new for every batch, the index grows by one with every
   * record, and the function is used up before the index could repeat.
   */
  batch(): Seal {
    let one: Derivation | undefined
    let index = 0
    return (key, value) => {
      if (one === undefined || index === maxShared) {
        one = this.#derive()
        index = 0
      }
      return this.#seal(key, value, { ...one, index: index++ })
    }
  }

  /** With the key that is the primary now. */
  #derive(): Derivation {
    const primary = sealingKey(this.#keys)
    if (this.#start.primary !== primary) this.#start = this.#startOf(primary)
    const salt = this.#salt()
    return { start: this.#start.bytes, salt, derived: hkdf(primary.root, salt, this.#suite.info) }
  }

  #startOf(primary: SealingKey): { readonly primary: SealingKey; readonly bytes: Buffer } {
    return { primary, bytes: headerStart(this.#suite, this.#keys.id, primary.id) }
  }

  #seal(
    key: string,
    value: Bytes,
    { salt, derived, index }: { readonly salt: Buffer; readonly derived: Derived; readonly index: number },
  ): Buffer {
    if (value.length > maxSealedBytes)
      throw new StoreError(
        'VALUE_TOO_LARGE',
        `The value has ${value.length} bytes, one envelope takes ${maxSealedBytes}.`,
      )
    const envelope = Buffer.allocUnsafe(this.overheadBytes + value.length)
    const bodyAt = writeHeader(envelope, this.#start, { index, salt, commitment: derived.commitment })
    const trueLength = Buffer.allocUnsafe(trueLengthBytes)
    trueLength.writeUInt32BE(value.length)
    const input = {
      suite: this.#suite,
      key: derived.key,
      nonce: nonce(index),
      associatedData: associatedData(envelope.subarray(0, bodyAt), this.#shared, key),
    }
    encrypt(input, [trueLength, value], envelope, bodyAt)
    return envelope
  }
}
