import { timingSafeEqual } from 'node:crypto'
import { type Awaitable, andThen, type Bytes, type CallOptions, isStoreError, StoreError } from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import { type Header, isEnvelope, readHeader } from '../envelope.ts'
import { hkdf } from '../hkdf.ts'
import { openingKey } from '../keyring.ts'
import { type Open, type OpenEither, Opener, type OpenNamed, type RootOf } from '../opener.ts'
import { type Seal, Sealer, type SealerOptions } from '../sealer.ts'
import type { Suite } from '../suites.ts'
import type { BatchSize, Vault } from '../vault.ts'
import { decodeWrappedKeys } from '../wrapped-keys.ts'
import { openingName, type Question, type Scope } from './data-keys.ts'
import { type KmsKeys, type KmsParts, partsOf } from './kms-keys.ts'
import type { KmsContext } from './kms-provider.ts'

/** Most data keys that one call asks for at once. */
const width = 8

/** The data keys of one answer, to be overwritten when it was worked on; in place of those that failed, why. */
type Roots = Map<string, Buffer | StoreError>

/** A vault whose data keys are asked for, unless they are kept. */
export function kmsVault(options: SealerOptions & { readonly keys: KmsKeys }): Vault {
  return new KmsVault(options)
}

class KmsVault implements Vault {
  readonly sealer: Sealer
  readonly sync = false
  readonly #opener: Opener
  readonly #keys: KmsKeys
  readonly #parts: KmsParts
  readonly #context: KmsContext
  readonly #scopes = new Map<Suite, Scope>()

  constructor(options: SealerOptions & { readonly keys: KmsKeys }) {
    this.sealer = new Sealer(options)
    this.#opener = new Opener(options)
    this.#keys = options.keys
    this.#parts = partsOf(options.keys)
    this.#context = Object.freeze({ ...this.#parts.context, 'unikv:dataset': options.dataset })
  }

  sealed<T>(size: () => BatchSize, call: CallOptions, work: (seal: Seal) => T): Awaitable<T> {
    const wanted = size()
    if (wanted.messages === 0) return work(nothingToSeal)
    const { id: keyringId, keyId: id } = this.#keys
    const scope = this.#scopeOf(this.sealer.suite)
    return andThen(this.#parts.dataKeys.sealing(scope, wanted, call), ({ root, section: wrapped }) => {
      const key = { keyringId, id, root, wrapped }
      try {
        return work(this.sealer.batch(() => key))
      } finally {
        root.fill(0)
      }
    })
  }

  opened<T>(envelopes: () => readonly Bytes[], call: CallOptions, work: (open: Open) => T): Awaitable<T> {
    return this.#withRoots(envelopes(), call, (rootOf) => work(this.#opener.batch(rootOf)))
  }

  openedNamed<T>(
    envelopes: () => readonly Bytes[],
    call: CallOptions,
    work: (open: OpenNamed) => T,
  ): Awaitable<T> {
    return this.#withRoots(envelopes(), call, (rootOf) => work(this.#opener.namedBatch(rootOf)))
  }

  openedEither<T>(
    envelopes: () => readonly Bytes[],
    call: CallOptions,
    work: (open: OpenEither) => T,
  ): Awaitable<T> {
    return this.#withRoots(envelopes(), call, (rootOf) => work(this.#opener.eitherBatch(rootOf)))
  }

  #withRoots<T>(envelopes: readonly Bytes[], call: CallOptions, work: (rootOf: RootOf) => T): Awaitable<T> {
    const roots: Roots = new Map()
    const questions = this.#questions(envelopes, roots)
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

  /** What has to be asked for these envelopes; what is kept is put among the roots. */
  #questions(envelopes: readonly Bytes[], roots: Roots): readonly Question[] {
    const headers = new Map<string, Header[]>()
    for (const envelope of envelopes) {
      const header = this.#wrappedHeader(envelope)
      if (header?.wrapped === undefined) continue
      const name = openingName(this.#scopeOf(header.suite), header.wrapped)
      const known = headers.get(name)
      if (known === undefined) headers.set(name, [header])
      else known.push(header)
    }
    return Array.from(headers).flatMap(([name, found]) => this.#question(name, found, roots))
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

  /** The header of an envelope with a section for these keys. What is wrong with others is found when they are opened. */
  #wrappedHeader(envelope: Bytes): Header | undefined {
    if (!isEnvelope(envelope)) return undefined
    try {
      const header = readHeader(envelope)
      return header.keyringId === this.#keys.id ? header : undefined
    } catch {
      return undefined
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
