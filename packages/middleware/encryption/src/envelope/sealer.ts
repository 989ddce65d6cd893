import { constants } from 'node:buffer'
import type { Bytes } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { isKeyring, type Keyring, sealingKey } from '../keys/keyring.ts'
import type { SealingKey } from '../keys/sealing-key.ts'
import { maxWrappedBytes } from '../keys/wrapped-keys.ts'
import { checkKeys, type KmsKeys } from '../kms/kms-keys.ts'
import { associatedData, type ContextOf, contextOf, type SharedContext } from './associated-data.ts'
import { chunkExponent, chunkedBytes, encryptChunks } from './chunks.ts'
import { type CipherInput, encrypt, maxPlaintextBytes, tagBytes } from './cipher.ts'
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
import type { KindOf } from './kinds.ts'
import { type PaddedLength, paddedLength } from './padding.ts'
import { type Layout, plaintextBytes, plaintextOf, trueKeyBytes } from './plaintext.ts'
import { saltSource } from './salts.ts'
import {
  checkedAbove,
  defaultChunkAboveBytes,
  defaultChunkBytes,
  type SealingOptions,
} from './sealing-options.ts'
import { type Suite, suiteOf } from './suites.ts'

/** With what, and for what, envelopes are made. */
export interface SealerOptions extends SharedContext, SealingOptions {
  readonly keys: Keyring | KmsKeys
  /** Where the kind depends on the key. @default always that of the context */
  readonly kindOf?: KindOf | undefined
  /** Longest true key in bytes, if each record tells its own inside. */
  readonly maxTrueKeyBytes?: number | undefined
}

/** Makes one envelope of a value under a canonical key. The true one comes with it where the store knows a hash. */
export type Seal = (key: string, value: Bytes, trueKey?: string) => Buffer

/** How many envelopes may share one derivation. Far below the 2^32 nonces that a derived key has. */
const maxShared = 65_536

/** The starts of all headers under one key. */
interface Starts {
  readonly of: SealingKey
  readonly inOne: HeaderStart
  readonly chunked: HeaderStart
}

/** Shared by the records of a batch. */
interface Derivation {
  readonly starts: Starts
  readonly salt: Buffer
  readonly derived: Derived
}

/** A stream before its first chunk. */
export interface SealedStream {
  /** Bytes before the first chunk. */
  readonly header: Buffer
  readonly input: CipherInput
  readonly chunkBytes: number
  readonly padded: PaddedLength | undefined
}

/** Seals under the primary key of a keyring, or a given data key. Parts that all records share are made once. */
export class Sealer {
  readonly suite: Suite
  readonly #keys: Keyring | KmsKeys
  /** Longest header start that these keys can produce; computed on first use. */
  #startBytes: number | undefined
  /** Most bytes before a value. */
  readonly #leadBytes: number
  readonly #inOne: Layout
  readonly #chunked: Layout
  readonly #chunkBytes: number
  readonly #chunkExponent: number
  readonly #chunkAboveBytes: number
  readonly #contextOf: ContextOf
  readonly #salt: () => Buffer
  #starts: Starts | undefined

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(
    {
      keys,
      kindOf,
      algorithm = 'aes-256-gcm',
      padding = 'none',
      chunkAboveBytes = defaultChunkAboveBytes,
      chunkBytes = defaultChunkBytes,
      maxTrueKeyBytes,
      ...context
    }: SealerOptions,
    salt: () => Buffer = saltSource(),
  ) {
    checkKeys(keys)
    this.#keys = keys
    this.suite = suiteOf(algorithm)
    this.#leadBytes = maxTrueKeyBytes === undefined ? 0 : 4 + maxTrueKeyBytes
    const padded = paddedLength(padding)
    this.#inOne = { padded, isChunked: false }
    this.#chunked = { padded, isChunked: true }
    this.#chunkBytes = chunkBytes
    this.#chunkExponent = chunkExponent(chunkBytes)
    this.#chunkAboveBytes = checkedAbove(chunkAboveBytes)
    this.#contextOf = contextOf(context, kindOf)
    this.#salt = salt
  }

  /** Most bytes of the envelope of a value of that length. Never falls as the value grows. */
  sealedBytes(valueBytes: number): number {
    this.#startBytes ??= longestStart(this.#keys)
    const contentBytes = valueBytes + this.#leadBytes
    return this.#envelopeBytes(this.#startBytes, contentBytes, this.#layoutOf(valueBytes, this.#leadBytes))
  }

  #envelopeBytes(startBytes: number, contentBytes: number, layout: Layout): number {
    const plain = plaintextBytes(contentBytes, layout)
    const sealed = layout.isChunked ? chunkedBytes(plain, this.#chunkBytes) : plain + tagBytes
    return headerLength(startBytes, layout.isChunked) + sealed
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
    let shared: Derivation | undefined
    let index = 0
    return (key, value, trueKey) => {
      const layout = this.#layoutOf(value.length, trueKeyBytes(trueKey))
      const content = { key, value, trueKey }
      if (layout.isChunked) return this.#seal(content, layout, this.#derive(keyNow()), 0)
      if (shared === undefined || index === maxShared) {
        shared = this.#derive(keyNow())
        index = 0
      }
      return this.#seal(content, layout, shared, index++)
    }
  }

  /** Everything that seals a stream under a canonical key chunk by chunk. It has a salt of its own. */
  stream(key: string, keyNow: () => SealingKey = () => sealingKey(this.#keys)): SealedStream {
    const { starts, salt, derived } = this.#derive(keyNow())
    const header = Buffer.alloc(headerLength(starts.chunked.bytes.length, true))
    writeHeader(header, starts.chunked, { index: 0, salt, commitment: derived.commitment })
    const { padded } = this.#chunked
    return { header, padded, chunkBytes: this.#chunkBytes, input: this.#input(key, header, derived, 0) }
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
    return (
      (this.#inOne.padded === undefined ? 0 : flags.padded) |
      (this.#leadBytes > 0 ? flags.trueKey : 0) |
      (wrapped === undefined ? 0 : flags.wrappedKeys)
    )
  }

  #derive(key: SealingKey): Derivation {
    const salt = this.#salt()
    return { starts: this.#startsOf(key), salt, derived: hkdf(key.root, salt, this.suite.info) }
  }

  #startsOf(key: SealingKey): Starts {
    if (this.#starts?.of !== key) {
      const bits = this.#flags(key)
      const inOne = headerStart(this.suite, bits, key)
      const chunked = headerStart(this.suite, bits | flags.chunked, key, this.#chunkExponent)
      this.#starts = { of: key, inOne, chunked }
    }
    return this.#starts
  }

  /** With padding the padded length decides: that of the value would show on which side of the border it is. */
  #layoutOf(valueBytes: number, leadBytes: number): Layout {
    const { padded } = this.#inOne
    const contentBytes = valueBytes + leadBytes
    if ((padded?.(contentBytes) ?? valueBytes) > this.#chunkAboveBytes) return this.#chunked
    return plaintextBytes(contentBytes, this.#inOne) > maxPlaintextBytes ? this.#chunked : this.#inOne
  }

  #seal(
    {
      key,
      value,
      trueKey,
    }: { readonly key: string; readonly value: Bytes; readonly trueKey?: string | undefined },
    layout: Layout,
    { starts, salt, derived }: Derivation,
    index: number,
  ): Buffer {
    const start = layout.isChunked ? starts.chunked : starts.inOne
    const envelope = this.#room(start, value.length, trueKeyBytes(trueKey), layout)
    const bodyAt = writeHeader(envelope, start, { index, salt, commitment: derived.commitment })
    const input = this.#input(key, envelope.subarray(0, bodyAt), derived, index)
    const parts = plaintextOf(value, layout, trueKey)
    if (layout.isChunked) encryptChunks(input, this.#chunkBytes, parts, envelope, bodyAt)
    else encrypt(input, parts, envelope, bodyAt)
    return envelope
  }

  #input(key: string, header: Buffer, derived: Derived, index: number): CipherInput {
    return {
      suite: this.suite,
      key: derived.key,
      nonce: nonce(index),
      associatedData: associatedData(header, this.#contextOf(key), key),
    }
  }

  #room(start: HeaderStart, valueBytes: number, leadBytes: number, layout: Layout): Buffer {
    const bytes = this.#envelopeBytes(start.bytes.length, leadBytes + valueBytes, layout)
    if (bytes <= constants.MAX_LENGTH) return Buffer.allocUnsafe(bytes)
    throw new StoreError(
      'VALUE_TOO_LARGE',
      `The value has ${valueBytes} bytes; one envelope holds ${this.maxValueBytes(Number.POSITIVE_INFINITY)} in this runtime.`,
    )
  }
}

/** Identifiers are as long as the longest that is there now; of data keys anything may come that the format allows. */
function longestStart(keys: Keyring | KmsKeys): number {
  if (!isKeyring(keys)) return startLength(keys.id, keys.keyId) + maxWrappedBytes
  return Math.max(...Object.keys(keys.states).map((id) => startLength(keys.id, id)))
}
