import { constants } from 'node:buffer'
import { type Bytes, StoreError } from '@unikv/core'
import { associatedData, type ContextOf, contextOf, type SharedContext } from './associated-data.ts'
import { chunkExponent, chunkedBytes, encryptChunks } from './chunks.ts'
import { type CipherInput, encrypt, maxPlaintextBytes, tagBytes } from './cipher.ts'
import { type HeaderStart, headerLength, headerStart, nonce, writeHeader } from './envelope.ts'
import { flags } from './flags.ts'
import { type Derived, hkdf } from './hkdf.ts'
import { type Keyring, sealingKey } from './keyring.ts'
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
  readonly keys: Keyring
  /** Where the kind depends on the key. @default always that of the context */
  readonly kindOf?: KindOf | undefined
  /** Longest true key in bytes, if each record tells its own inside. */
  readonly maxTrueKeyBytes?: number | undefined
}

/** Makes one envelope of a value under a canonical key. The true one comes with it where the store knows a hash. */
export type Seal = (key: string, value: Bytes, trueKey?: string) => Buffer

/** How many envelopes may share one derivation. Far below the 2^32 nonces that a derived key has. */
const maxShared = 65_536

/** What the envelopes of one form have in common. */
interface Form extends Layout {
  readonly start: HeaderStart
  readonly headerBytes: number
}

/** A derivation, and the index that is next under it. */
interface Turn {
  readonly salt: Buffer
  readonly derived: Derived
  readonly index: number
}

/** A stream before its first chunk. */
export interface SealedStream {
  /** What goes before the first chunk. */
  readonly header: Buffer
  readonly input: CipherInput
  readonly chunkBytes: number
  readonly padded: PaddedLength | undefined
}

/** Seals under the primary key of a keyring. What does not change from record to record is made once. */
export class Sealer {
  readonly #suite: Suite
  readonly #root: Buffer
  /** Most bytes before a value. */
  readonly #leadBytes: number
  readonly #inOne: Form
  readonly #chunked: Form
  readonly #chunkBytes: number
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
      maxTrueKeyBytes,
      ...context
    }: SealerOptions,
    salt: () => Buffer = saltSource(),
  ) {
    this.#root = sealingKey(keys)
    this.#suite = suiteOf(algorithm)
    const padded = paddedLength(padding)
    this.#leadBytes = maxTrueKeyBytes === undefined ? 0 : 4 + maxTrueKeyBytes
    const bits = (padded === undefined ? 0 : flags.padded) | (this.#leadBytes > 0 ? flags.trueKey : 0)
    const exponent = chunkExponent(chunkBytes)
    this.#inOne = formFrom(padded, headerStart(this.#suite, bits, keys))
    this.#chunked = formFrom(padded, headerStart(this.#suite, bits | flags.chunked, keys, exponent))
    this.#chunkBytes = chunkBytes
    this.#chunkAboveBytes = checkedAbove(chunkAboveBytes)
    this.#contextOf = contextOf(context, kindOf)
    this.#salt = salt
  }

  /** Most bytes of the envelope of a value of that length. Never falls as the value grows. */
  sealedBytes(valueBytes: number): number {
    return this.#bytesIn(this.#formOf(valueBytes), valueBytes + this.#leadBytes)
  }

  #bytesIn(form: Form, contentBytes: number): number {
    const plain = plaintextBytes(contentBytes, form)
    const sealed = form.isChunked ? chunkedBytes(plain, this.#chunkBytes) : plain + tagBytes
    return form.headerBytes + sealed
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
   */
  batch(): Seal {
    let shared: Omit<Turn, 'index'> | undefined
    let index = 0
    return (key, value, trueKey) => {
      const form = this.#formOf(value.length)
      if (form.isChunked) return this.#seal(key, value, form, { ...this.#derive(), index: 0 }, trueKey)
      if (shared === undefined || index === maxShared) {
        shared = this.#derive()
        index = 0
      }
      const { salt, derived } = shared
      return this.#seal(key, value, form, { salt, derived, index: index++ }, trueKey)
    }
  }

  /** What a stream under a canonical key needs to be sealed chunk by chunk. It has a salt of its own. */
  stream(key: string): SealedStream {
    const { salt, derived } = this.#derive()
    const { start, headerBytes, padded } = this.#chunked
    const header = Buffer.alloc(headerBytes)
    writeHeader(header, start, { index: 0, salt, commitment: derived.commitment })
    return { header, padded, chunkBytes: this.#chunkBytes, input: this.#input(key, header, derived, 0) }
  }

  #input(key: string, header: Buffer, derived: Derived, index: number): CipherInput {
    return {
      suite: this.#suite,
      key: derived.key,
      nonce: nonce(index),
      associatedData: associatedData(header, this.#contextOf(key), key),
    }
  }

  #derive(): Omit<Turn, 'index'> {
    const salt = this.#salt()
    return { salt, derived: hkdf(this.#root, salt, this.#suite.info) }
  }

  #formOf(valueBytes: number): Form {
    if (valueBytes > this.#chunkAboveBytes) return this.#chunked
    const contentBytes = valueBytes + this.#leadBytes
    return plaintextBytes(contentBytes, this.#inOne) > maxPlaintextBytes ? this.#chunked : this.#inOne
  }

  #seal(key: string, value: Bytes, form: Form, { salt, derived, index }: Turn, trueKey?: string): Buffer {
    const envelope = this.#room(form, value.length, trueKeyBytes(trueKey))
    const bodyAt = writeHeader(envelope, form.start, { index, salt, commitment: derived.commitment })
    const input = this.#input(key, envelope.subarray(0, bodyAt), derived, index)
    const parts = plaintextOf(value, form, trueKey)
    if (form.isChunked) encryptChunks(input, this.#chunkBytes, parts, envelope, bodyAt)
    else encrypt(input, parts, envelope, bodyAt)
    return envelope
  }

  #room(form: Form, valueBytes: number, leadBytes: number): Buffer {
    const bytes = this.#bytesIn(form, valueBytes + leadBytes)
    if (bytes <= constants.MAX_LENGTH) return Buffer.allocUnsafe(bytes)
    throw new StoreError(
      'VALUE_TOO_LARGE',
      `The value has ${valueBytes} bytes, one envelope takes ${this.maxValueBytes(Number.POSITIVE_INFINITY)} in this runtime.`,
    )
  }
}

function formFrom(padded: PaddedLength | undefined, start: HeaderStart): Form {
  const isChunked = start.chunkExponent !== undefined
  return { padded, isChunked, start, headerBytes: headerLength(start) }
}
