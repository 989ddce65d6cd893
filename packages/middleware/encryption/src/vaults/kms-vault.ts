import { timingSafeEqual } from 'node:crypto'
import { type Awaitable, andThen, type Bytes, type CallOptions, isStoreError, StoreError } from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import type { CipherInput } from '../envelope/cipher.ts'
import { type Header, isEnvelope, readHeader } from '../envelope/envelope.ts'
import { hkdf } from '../envelope/hkdf.ts'
import { type Open, type OpenEither, Opener, type OpenNamed, type RootOf } from '../envelope/opener.ts'
import { type Seal, Sealer, type SealerOptions } from '../envelope/sealer.ts'
import type { Suite } from '../envelope/suites.ts'
import { openingKey } from '../keys/keyring.ts'
import type { SealingKey } from '../keys/sealing-key.ts'
import { decodeWrappedKeys } from '../keys/wrapped-keys.ts'
import { type BatchSize, openingName, type Question, type Scope } from '../kms/data-keys.ts'
import { type KmsKeys, type KmsParts, partsOf } from '../kms/kms-keys.ts'
import type { KmsContext } from '../kms/kms-provider.ts'
import type { CountedStream, Vault } from './vault.ts'

/** Most data keys that one call asks for at once. */
const width = 8

/** The data keys of one answer, to be overwritten when it was worked on; in place of those that failed, why. */
type Roots = Map<string, Buffer | StoreError>

/** A vault whose data keys are asked for, unless they are kept. */
export function kmsVault(options: SealerOptions & { readonly keys: KmsKeys }, salt?: () => Buffer): Vault {
  return new KmsVault(options, salt)
}

class KmsVault implements Vault {
  readonly sealer: Sealer
  readonly sync = false
  readonly #opener: Opener
  readonly #keys: KmsKeys
  readonly #parts: KmsParts
  readonly #context: KmsContext
  readonly #scopes = new Map<Suite, Scope>()

  constructor(options: SealerOptions & { readonly keys: KmsKeys }, salt?: () => Buffer) {
    this.sealer = new Sealer(options, salt)
    this.#opener = new Opener(options)
    this.#keys = options.keys
    this.#parts = partsOf(options.keys)
    this.#context = Object.freeze({ ...this.#parts.context, 'unikv:dataset': options.dataset })
  }

  sealed<T>(size: () => BatchSize, call: CallOptions, work: (seal: Seal) => T): Awaitable<T> {
    const wanted = size()
    if (wanted.messages === 0) return work(nothingToSeal)
    return this.#withKey(wanted, call, (keyNow) => work(this.sealer.batch(keyNow)))
  }

  sealedStream(key: string, call: CallOptions): Awaitable<CountedStream> {
    const size = { messages: 1, bytes: 0 }
    return this.#withKey(size, call, (keyNow, spend) => ({ ...this.sealer.stream(key, keyNow), spend }))
  }

  #withKey<T>(
    size: BatchSize,
    call: CallOptions,
    work: (keyNow: () => SealingKey, spend: CountedStream['spend']) => T,
  ): Awaitable<T> {
    const { id: keyringId, keyId: id } = this.#keys
    const scope = this.#scopeOf(this.sealer.suite)
    return andThen(this.#parts.dataKeys.sealing(scope, size, call), ({ root, section: wrapped, spend }) => {
      const key = { keyringId, id, root, wrapped }
      try {
        return work(() => key, spend)
      } finally {
        root.fill(0)
      }
    })
  }

  opened<T>(envelopes: () => readonly Bytes[], call: CallOptions, work: (open: Open) => T): Awaitable<T> {
    return this.#withRoots(headersOf(envelopes()), call, (rootOf) => work(this.#opener.batch(rootOf)))
  }

  openedNamed<T>(
    envelopes: () => readonly Bytes[],
    call: CallOptions,
    work: (open: OpenNamed) => T,
  ): Awaitable<T> {
    return this.#withRoots(headersOf(envelopes()), call, (rootOf) => work(this.#opener.namedBatch(rootOf)))
  }

  openedEither<T>(
    envelopes: () => readonly Bytes[],
    call: CallOptions,
    work: (open: OpenEither) => T,
  ): Awaitable<T> {
    return this.#withRoots(headersOf(envelopes()), call, (rootOf) => work(this.#opener.eitherBatch(rootOf)))
  }

  openedStream(key: string, header: Header, call: CallOptions): Awaitable<CipherInput> {
    return this.#withRoots([header], call, (rootOf) => this.#opener.stream(key, header, rootOf))
  }

  #withRoots<T>(headers: readonly Header[], call: CallOptions, work: (rootOf: RootOf) => T): Awaitable<T> {
    const roots: Roots = new Map()
    const questions = this.#questions(headers, roots)
    const run = (): T => {
      try {
        return work((header) => this.#rootOf(header, roots))
      } finally {
        for (const root of roots.values()) if (!isStoreError(root)) root.fill(0)
      }
    }
    if (questions.length === 0) return run()
    const asked = inParallel(questions, width, async (question) => {
      roots.set(question.name, await this.#ask(question, call))
    })
    return asked.then(run)
  }

  isCurrent(envelope: Bytes): boolean {
    const header = readHeader(envelope)
    const { id: keyringId, keyId: id } = this.#keys
    if (
      header.wrapped === undefined ||
      !this.sealer.isLike(header, { keyringId, id, wrapped: header.wrapped })
    )
      return false
    const { providers } = this.#parts
    const keys = decodeWrappedKeys(header.wrapped)
    return (
      keys.length === providers.length &&
      keys.every(({ providerId, info }, i) => {
        const provider = providers[i]
        return provider?.id === providerId && Buffer.from(provider.info).equals(info)
      })
    )
  }

  /** The questions for those of these envelopes that are for these keys; kept keys are put among the roots. */
  #questions(headers: readonly Header[], roots: Roots): readonly Question[] {
    const named = new Map<string, Header[]>()
    for (const header of headers) {
      if (header.wrapped === undefined || header.keyringId !== this.#keys.id) continue
      const name = openingName(this.#scopeOf(header.suite), header.wrapped)
      const known = named.get(name)
      if (known === undefined) named.set(name, [header])
      else known.push(header)
    }
    return Array.from(named).flatMap(([name, found]) => this.#question(name, found, roots))
  }

  #question(name: string, headers: readonly Header[], roots: Roots): readonly Question[] {
    const kept = this.#parts.dataKeys.kept(name)
    if (kept !== undefined) {
      roots.set(name, kept)
      return []
    }
    const [{ suite, wrapped: section }] = headers as readonly [Header]
    try {
      const wrapped = decodeWrappedKeys(section as Buffer)
      return [{ name, scope: this.#scopeOf(suite), wrapped, accepts: (root) => headers.some(isOf(root)) }]
    } catch (error) {
      if (!isStoreError(error)) throw error
      roots.set(name, error)
      return []
    }
  }

  async #ask(question: Question, call: CallOptions): Promise<Buffer | StoreError> {
    try {
      return await this.#parts.dataKeys.opening(question, call)
    } catch (error) {
      if (isStoreError(error)) return error
      throw error
    }
  }

  #rootOf(header: Header, roots: Roots): Buffer {
    const { wrapped, keyringId, suite } = header
    const { keyring } = this.#parts
    if (wrapped === undefined) {
      if (keyring !== undefined) return openingKey(keyring, header)
      throw unknown(
        'The record was sealed with a key of a keyring, and these keys have none. Give it as keyring.',
      )
    }
    if (keyringId !== this.#keys.id)
      throw unknown(`The record was sealed with the keys '${keyringId}', and these are '${this.#keys.id}'.`)
    const root = roots.get(openingName(this.#scopeOf(suite), wrapped))
    if (root !== undefined && !isStoreError(root)) return root
    throw root ?? unknown('The data key of the record was not asked for.')
  }

  /** The suite's text names format, cipher and purpose; every suite commits. */
  #scopeOf(suite: Suite): Scope {
    const known = this.#scopes.get(suite)
    if (known !== undefined) return known
    const entries = Object.entries(this.#context).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const name = JSON.stringify([suite.info, 'committed', this.#keys.id, this.#keys.keyId, entries])
    const scope = { name, context: this.#context }
    this.#scopes.set(suite, scope)
    return scope
  }
}

/** The headers of envelopes. Faults of others are found when they are opened. */
function headersOf(envelopes: readonly Bytes[]): readonly Header[] {
  return envelopes.flatMap((envelope) => {
    if (!isEnvelope(envelope)) return []
    try {
      return [readHeader(envelope)]
    } catch {
      return []
    }
  })
}

/** Whether a key is the one that a record was sealed with. */
function isOf(root: Buffer): (header: Header) => boolean {
  return ({ salt, suite, commitment }) => timingSafeEqual(hkdf(root, salt, suite.info).commitment, commitment)
}

function nothingToSeal(): never {
  throw new Error('A write without values sealed one.')
}

function unknown(message: string): StoreError {
  return new StoreError('UNKNOWN_KEY_ID', message)
}
