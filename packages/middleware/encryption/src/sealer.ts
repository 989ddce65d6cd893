import { constants } from 'node:buffer'
import { type Bytes, StoreError } from '@unikv/core'
import { associatedData, type ContextOf, contextOf, type SharedContext } from './associated-data.ts'
import { chunkExponent, chunkedBytes, encryptChunks } from './chunks.ts'
import { encrypt, maxPlaintextBytes, tagBytes } from './cipher.ts'
import {
  type Header,
  type HeaderStart,
  headerLength,
  headerStart,
  nonce,
  startLength,
  writeHeader,
} from './envelope.ts'
import { flags } from './flags.ts'
import { type Derived, hkdf } from './hkdf.ts'
import { isKeyring, type Keyring, sealingKey } from './keyring.ts'
import type { KindOf } from './kinds.ts'
import { checkKeys, type KmsKeys } from './kms/kms-keys.ts'
import { type Padding, paddedLength } from './padding.ts'
import { type Layout, plaintextBytes, plaintextOf } from './plaintext.ts'
import { saltSource } from './salts.ts'
import type { SealingKey } from './sealing-key.ts'
import { type Algorithm, type Suite, suiteOf } from './suites.ts'
import { maxWrappedBytes } from './wrapped-keys.ts'

/** How envelopes are made. All that they can be stays readable, whatever is chosen. */
export interface SealingOptions {
  /** @default 'aes-256-gcm' */
  readonly algorithm?: Algorithm | undefined
  /** Lengths that an observer can tell apart. @default 'none', all of them */
  readonly padding?: Padding | undefined
  /**
   * Values longer than this are sealed in chunks, each with a tag of its own. What is too long for one piece
   * (2,147,483,643 bytes) always is. @default 16,777,216
   */
  readonly chunkAboveBytes?: number | undefined
  /** Size of these chunks: a power of two from 1,024 to 16,777,216. @default 262,144 */
  readonly chunkBytes?: number | undefined
}

/** With what, and for what, envelopes are made. */
export interface SealerOptions extends SharedContext, SealingOptions {
  readonly keys: Keyring | KmsKeys
  /** Where the kind depends on the key. @default always that of the context */
  readonly kindOf?: KindOf | undefined
}

/** Makes one envelope of a value under a canonical key. */
export type Seal = (key: string, value: Bytes) => Buffer

/** How many envelopes may share one derivation. Far below the 2^32 nonces that a derived key has. */
const maxShared = 65_536

/** By measurement: the size from which on chunks cost nothing. */
const defaultChunkAboveBytes = 16_777_216
const defaultChunkBytes = 262_144

/** How the headers of one key begin, in one piece and in chunks. */
interface Starts {
  readonly of: SealingKey
  readonly inOne: HeaderStart
  readonly chunked: HeaderStart
}

/** A derivation, and the index that is next under it. */
interface Turn {
  readonly starts: Starts
  readonly salt: Buffer
  readonly derived: Derived
  readonly index: number
}

/** Seals under the primary key of a keyring, or under a given data key. What does not change from record to record is made once. */
export class Sealer {
  readonly suite: Suite
  readonly #keys: Keyring | KmsKeys
  readonly #bits: number
  readonly #inOne: Layout
  readonly #chunked: Layout
  /** Length of the longest header start that these keys may have, as far as is known when this is made. */
  readonly #startBytes: number
  #starts: Starts | undefined
  readonly #chunkBytes: number
  readonly #chunkExponent: number
  readonly #chunkAboveBytes: number
  readonly #contextOf: ContextOf
  readonly #salt: () => Buffer

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(
    {
      keys,
      kindOf,
      algorithm = 'aes-256-gcm',
      padding = 'none',
      chunkAboveBytes = defaultChunkAboveBytes,
      chunkBytes = defaultChunkBytes,
      ...context
    }: SealerOptions,
    salt: () => Buffer = saltSource(),
  ) {
    checkKeys(keys)
    this.#keys = keys
    this.suite = suiteOf(algorithm)
    const padded = paddedLength(padding)
    this.#bits = padded === undefined ? 0 : flags.padded
    this.#inOne = { padded, isChunked: false }
    this.#chunked = { padded, isChunked: true }
    this.#startBytes = longestStart(keys)
    this.#chunkExponent = chunkExponent(chunkBytes)
    this.#chunkBytes = chunkBytes
    this.#chunkAboveBytes = checkedAbove(chunkAboveBytes)
    this.#contextOf = contextOf(context, kindOf)
    this.#salt = salt
  }

  /** Bytes of the envelope of a value of that length. Never falls as the value grows. */
  sealedBytes(valueBytes: number, startBytes: number = this.#startBytes): number {
    const form = this.#formOf(valueBytes)
    const plain = plaintextBytes(valueBytes, form)
    const sealed = form.isChunked ? chunkedBytes(plain, this.#chunkBytes) : plain + tagBytes
    return headerLength(startBytes, form.isChunked) + sealed
  }

  /** Length of the longest value whose envelope has at most that many bytes; 0 if there is none. */
  maxValueBytes(envelopeBytes: number): number {
    const most = Math.min(envelopeBytes, constants.MAX_LENGTH)
    let fits = 0
    let not = most + 1
    while (not - fits > 1) {
      const half = fits + Math.floor((not - fits) / 2)
      if (this.sealedBytes(half) <= most) fits = half
      else not = half
    }
    return fits
  }

  /**
   * A function for the records of one batch. They share one salt and so one derivation, which costs more than
   * the cipher for small values; each takes the next index as its nonce. A value in chunks takes a salt alone.
   *
   * No pair of key and nonce occurs twice: the salt is new for every batch, the index grows by one with every
   * record, and the function is used up before the index could repeat.
   *
   * `keyNow` is asked whenever a key is derived, so that no key is used after it was replaced.
   */
  batch(keyNow: () => SealingKey = () => sealingKey(this.#keys)): Seal {
    let shared: Omit<Turn, 'index'> | undefined
    let index = 0
    return (key, value) => {
      const form = this.#formOf(value.length)
      if (form.isChunked) return this.#seal(key, value, form, { ...this.#derive(keyNow()), index: 0 })
      if (shared === undefined || index === maxShared) {
        shared = this.#derive(keyNow())
        index = 0
      }
      const { starts, salt, derived } = shared
      return this.#seal(key, value, form, { starts, salt, derived, index: index++ })
    }
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
    return this.#bits | (wrapped === undefined ? 0 : flags.wrappedKeys)
  }

  #startsOf(key: SealingKey): Starts {
    if (this.#starts?.of === key) return this.#starts
    const bits = this.#flags(key)
    this.#starts = {
      of: key,
      inOne: headerStart(this.suite, bits, key),
      chunked: headerStart(this.suite, bits | flags.chunked, key, this.#chunkExponent),
    }
    return this.#starts
  }

  #derive(key: SealingKey): Omit<Turn, 'index'> {
    const salt = this.#salt()
    return { starts: this.#startsOf(key), salt, derived: hkdf(key.root, salt, this.suite.info) }
  }

  #formOf(valueBytes: number): Layout {
    const isLong =
      valueBytes > this.#chunkAboveBytes || plaintextBytes(valueBytes, this.#inOne) > maxPlaintextBytes
    return isLong ? this.#chunked : this.#inOne
  }

  #seal(key: string, value: Bytes, form: Layout, { starts, salt, derived, index }: Turn): Buffer {
    const start = form.isChunked ? starts.chunked : starts.inOne
    const envelope = this.#room(value.length, start.bytes.length)
    const bodyAt = writeHeader(envelope, start, { index, salt, commitment: derived.commitment })
    const input = {
      suite: this.suite,
      key: derived.key,
      index,
      associatedData: associatedData(envelope.subarray(0, bodyAt), this.#contextOf(key), key),
    }
    const parts = plaintextOf(value, form)
    if (form.isChunked) encryptChunks(input, this.#chunkBytes, parts, envelope, bodyAt)
    else encrypt({ ...input, nonce: nonce(index) }, parts, envelope, bodyAt)
    return envelope
  }

  #room(valueBytes: number, startBytes: number): Buffer {
    const bytes = this.sealedBytes(valueBytes, startBytes)
    if (bytes <= constants.MAX_LENGTH) return Buffer.allocUnsafe(bytes)
    throw new StoreError(
      'VALUE_TOO_LARGE',
      `The value has ${valueBytes} bytes, one envelope takes ${this.maxValueBytes(Number.POSITIVE_INFINITY)} in this runtime.`,
    )
  }
}

function checkedAbove(bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw new StoreError('INVALID_CONFIG', 'chunkAboveBytes must be a whole number of bytes, 0 or above.')
}

/** Identifiers are as long as the longest that is there now; of data keys anything may come that the format allows. */
function longestStart(keys: Keyring | KmsKeys): number {
  if (!isKeyring(keys)) return startLength(keys.id, keys.keyId) + maxWrappedBytes
  return Math.max(...Object.keys(keys.states).map((id) => startLength(keys.id, id)))
}
