import { constants } from 'node:buffer'
import { type Bytes, StoreError } from '@unikv/core'
import { associatedData, type ContextOf, contextOf, type SharedContext } from './associated-data.ts'
import { chunkExponent, chunkedBytes, encryptChunks } from './chunks.ts'
import { type CipherInput, encrypt, maxPlaintextBytes, tagBytes } from './cipher.ts'
import { type Header, type HeaderStart, headerLength, headerStart, nonce, writeHeader } from './envelope.ts'
import { flags } from './flags.ts'
import { type Derived, hkdf } from './hkdf.ts'
import { isKeyring, type Keyring, sealingKey } from './keyring.ts'
import type { KindOf } from './kinds.ts'
import { checkKeys, type KmsKeys } from './kms/kms-keys.ts'
import { type PaddedLength, paddedLength } from './padding.ts'
import { type Layout, plaintextBytes, plaintextOf } from './plaintext.ts'
import { saltSource } from './salts.ts'
import type { SealingKey } from './sealing-key.ts'
import {
  checkedAbove,
  defaultChunkAboveBytes,
  defaultChunkBytes,
  type SealingOptions,
} from './sealing-options.ts'
import { type Suite, suiteOf } from './suites.ts'
import { maxWrappedBytes } from './wrapped-keys.ts'

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

/** What the envelopes of one form have in common. */
interface Form extends Layout {
  readonly start: HeaderStart
  readonly headerBytes: number
}

/** The forms of envelopes under one key. */
interface Forms {
  readonly inOne: Form
  readonly chunked: Form
}

/** What names a key in a header. */
type KeyName = Omit<SealingKey, 'root'>

/** What the records of a batch share. */
interface Derivation {
  readonly forms: Forms
  readonly salt: Buffer
  readonly derived: Derived
}

/** A stream before its first chunk. */
export interface SealedStream {
  /** What goes before the first chunk. */
  readonly header: Buffer
  readonly input: CipherInput
  readonly chunkBytes: number
  readonly padded: PaddedLength | undefined
}

/** Seals under the primary key of a keyring, or under a given data key. What does not change from record to record is made once. */
export class Sealer {
  readonly suite: Suite
  readonly #keys: Keyring | KmsKeys
  readonly #padded: PaddedLength | undefined
  readonly #inOne: Layout
  /** With the longest header that these keys may need, as far as is known when it is first asked for. */
  #longest: Forms | undefined
  #made: { readonly of: SealingKey; readonly forms: Forms } | undefined
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
    this.#padded = paddedLength(padding)
    this.#chunkExponent = chunkExponent(chunkBytes)
    this.#inOne = { padded: this.#padded, isChunked: false }
    this.#chunkBytes = chunkBytes
    this.#chunkAboveBytes = checkedAbove(chunkAboveBytes)
    this.#contextOf = contextOf(context, kindOf)
    this.#salt = salt
  }

  /** Bytes of the envelope of a value of that length. Never falls as the value grows. */
  sealedBytes(valueBytes: number): number {
    this.#longest ??= this.#formsOf(longestName(this.#keys))
    const form = this.#isLong(valueBytes) ? this.#longest.chunked : this.#longest.inOne
    return this.#bytesIn(form, valueBytes)
  }

  #bytesIn(form: Form, valueBytes: number): number {
    const plain = plaintextBytes(valueBytes, form)
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
   *
   * `keyNow` is asked whenever a key is derived, so that no key is used after it was replaced.
   */
  batch(keyNow: () => SealingKey = () => sealingKey(this.#keys)): Seal {
    let shared: Derivation | undefined
    let index = 0
    return (key, value) => {
      if (this.#isLong(value.length)) {
        const alone = this.#derive(keyNow())
        return this.#seal(key, value, alone.forms.chunked, alone, 0)
      }
      if (shared === undefined || index === maxShared) {
        shared = this.#derive(keyNow())
        index = 0
      }
      return this.#seal(key, value, shared.forms.inOne, shared, index++)
    }
  }

  /** What a stream under a canonical key needs to be sealed chunk by chunk. It has a salt of its own. */
  stream(key: string): SealedStream {
    const { forms, salt, derived } = this.#derive(sealingKey(this.#keys))
    const { start, headerBytes, padded } = forms.chunked
    const header = Buffer.alloc(headerBytes)
    writeHeader(header, start, { index: 0, salt, commitment: derived.commitment })
    return { header, padded, chunkBytes: this.#chunkBytes, input: this.#input(key, header, derived, 0) }
  }

  /** Whether an envelope is as this sealer would make it with this key now; chunks are a matter of length. */
  isLike(header: Header, name: KeyName): boolean {
    return (
      header.suite === this.suite &&
      header.keyringId === name.keyringId &&
      header.keyId === name.id &&
      (header.flags & ~flags.chunked) === this.#bits(name)
    )
  }

  #input(key: string, header: Buffer, derived: Derived, index: number): CipherInput {
    return {
      suite: this.suite,
      key: derived.key,
      nonce: nonce(index),
      associatedData: associatedData(header, this.#contextOf(key), key),
    }
  }

  #derive(key: SealingKey): Derivation {
    if (this.#made?.of !== key) this.#made = { of: key, forms: this.#formsOf(key) }
    const salt = this.#salt()
    return { forms: this.#made.forms, salt, derived: hkdf(key.root, salt, this.suite.info) }
  }

  #bits({ wrapped }: KeyName): number {
    return (this.#padded === undefined ? 0 : flags.padded) | (wrapped === undefined ? 0 : flags.wrappedKeys)
  }

  #formsOf(name: KeyName): Forms {
    const bits = this.#bits(name)
    const chunkedStart = headerStart(this.suite, bits | flags.chunked, name, this.#chunkExponent)
    return {
      inOne: formFrom(this.#padded, headerStart(this.suite, bits, name)),
      chunked: formFrom(this.#padded, chunkedStart),
    }
  }

  #isLong(valueBytes: number): boolean {
    if (valueBytes > this.#chunkAboveBytes) return true
    return plaintextBytes(valueBytes, this.#inOne) > maxPlaintextBytes
  }

  #seal(key: string, value: Bytes, form: Form, { salt, derived }: Derivation, index: number): Buffer {
    const envelope = this.#room(form, value.length)
    const bodyAt = writeHeader(envelope, form.start, { index, salt, commitment: derived.commitment })
    const input = this.#input(key, envelope.subarray(0, bodyAt), derived, index)
    const parts = plaintextOf(value, form)
    if (form.isChunked) encryptChunks(input, this.#chunkBytes, parts, envelope, bodyAt)
    else encrypt(input, parts, envelope, bodyAt)
    return envelope
  }

  #room(form: Form, valueBytes: number): Buffer {
    const bytes = this.#bytesIn(form, valueBytes)
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

/** Identifiers are as long as the longest that is there now; of data keys anything may come that the format allows. */
function longestName(keys: Keyring | KmsKeys): KeyName {
  const { id: keyringId } = keys
  if (!isKeyring(keys)) return { keyringId, id: keys.keyId, wrapped: Buffer.alloc(maxWrappedBytes) }
  const ids = Object.keys(keys.states).toSorted((a, b) => b.length - a.length)
  return { keyringId, id: ids[0] as string }
}
