import { createHash } from 'node:crypto'
import type { Awaitable, Bytes, CallOptions } from '@unikv/core'
import type { WrappedKey } from '../keys/wrapped-keys.ts'
import type { KmsContext, KmsProvider } from './kms-provider.ts'
import { copyOf, type SharedQuestion, SharedQuestions } from './shared-questions.ts'
import { type Accepts, generate, type Sealable, unwrap } from './wrapping.ts'

/** Messages and bytes that one call is about to seal. */
export interface BatchSize {
  readonly messages: number
  readonly bytes: number
}

/** How many data keys are kept, and how long each serves. */
export interface DataKeyLimits {
  readonly maxKeys: number
  readonly maxMessages: number
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly timeoutMs: number
  readonly clock: () => number
}

/**
 * All that data keys are for: format, cipher and commitment, keyring, context. Keys of one scope never serve another,
 * so that no key that was kept for one policy is taken under a different one.
 */
export interface Scope {
  /** Injective text of all of it. */
  readonly name: string
  readonly context: KmsContext
}

/** A key that seals now. */
interface Sealing extends Sealable {
  readonly madeAt: number
  /** Use of the key for sealing, one count for all copies. */
  readonly used: { messages: number; bytes: number }
}

/** A key to seal one write with. */
export interface Taken extends Sealable {
  /** Count bytes that were not known when it was taken. */
  readonly spend: (bytes: number) => void
}

/** A key that was unwrapped. */
interface Unwrapped {
  readonly root: Buffer
  readonly madeAt: number
}

/** A section whose key is wanted. */
export interface Question {
  /** Made by `openingName`. */
  readonly name: string
  readonly scope: Scope
  readonly wrapped: readonly WrappedKey[]
  readonly accepts: Accepts
}

/** Under what the key of a section is kept. */
export function openingName(scope: Scope, section: Bytes): string {
  return `${createHash('sha256').update(section).digest('base64')} ${scope.name}`
}

/** Longest wait for what somebody else has asked a service, in milliseconds: far more than a service takes. */
const mostJoinMs = 1000

/** The data keys in memory, bounded; one question at a time to the services for each of them. */
export class DataKeys {
  readonly #providers: readonly KmsProvider[]
  readonly #limits: DataKeyLimits
  readonly #sealing = new Map<string, Sealing>()
  readonly #generating: SharedQuestions<Sealing>
  /** Keyed by scope and section; the least recently used first. */
  readonly #opened = new Map<string, Unwrapped>()
  readonly #opening: SharedQuestions<Buffer>

  constructor(providers: readonly KmsProvider[], limits: DataKeyLimits) {
    this.#providers = providers
    this.#limits = limits
    const joinMs = Math.min(mostJoinMs, limits.timeoutMs / 4)
    this.#generating = new SharedQuestions(joinMs)
    this.#opening = new SharedQuestions(joinMs)
  }

  /** A copy of the key that seals a batch now, counted as used; the caller must overwrite it. */
  sealing(scope: Scope, size: BatchSize, call: CallOptions): Awaitable<Taken> {
    return this.#taken(scope, size) ?? this.#generated(scope, size, call)
  }

  /** A copy of a kept key; the caller must overwrite it. */
  kept(name: string): Buffer | undefined {
    const found = this.#opened.get(name)
    if (found === undefined) return undefined
    this.#opened.delete(name)
    if (this.#isOld(found)) {
      found.root.fill(0)
      return undefined
    }
    this.#opened.set(name, found)
    return copyOf(found.root)
  }

  /**
   * A copy of the key of a section that is not kept; the caller must overwrite it. It is kept if it agrees with one
   * of the records that are opened; so a record that was tampered with cannot spoil the key of others.
   */
  async opening(question: Question, call: CallOptions): Promise<Buffer> {
    const { name, scope, wrapped, accepts } = question
    const ask = (): Promise<Buffer> =>
      unwrap(this.#providers, wrapped, scope.context, this.#limits.timeoutMs, accepts)
    const begin = (): SharedQuestion<Buffer> => this.#opening.begun(name, ask(), (root) => root)
    const take = (root: Buffer, shared: SharedQuestion<Buffer>) => ({ root: copyOf(root), shared })
    const came = await this.#opening.answer(name, call, take, begin)
    if (came === undefined) return this.kept(name) ?? this.opening(question, call)
    const { root, shared } = came
    if (accepts(root) && !shared.isForgotten && !this.#opened.has(name)) this.#keep(name, copyOf(root))
    return root
  }

  /** Overwrite all keys with zeros. Answers to earlier questions are not kept, and later calls do not wait for them. */
  forget(): void {
    for (const { root } of [...this.#sealing.values(), ...this.#opened.values()]) root.fill(0)
    for (const all of [this.#generating, this.#opening]) all.forget()
    for (const keys of [this.#sealing, this.#opened]) keys.clear()
  }

  /** A call that waited for a key gets it, also if it is not kept, or old by now: it was made after the call asked. */
  async #generated(scope: Scope, size: BatchSize, call: CallOptions): Promise<Taken> {
    while (true) {
      const begin = (): SharedQuestion<Sealing> => this.#sharedOf(scope)
      const taken = await this.#generating.answer(scope.name, call, (key) => this.#spend(key, size), begin)
      if (taken !== undefined) return taken
      const next = this.#taken(scope, size)
      if (next !== undefined) return next
    }
  }

  #sharedOf(scope: Scope): SharedQuestion<Sealing> {
    return this.#generating.begun(scope.name, this.#generate(scope), (made, { isForgotten }) => {
      if (!isForgotten) this.#serve(scope, made)
      return made.root
    })
  }

  async #generate(scope: Scope): Promise<Sealing> {
    const made = await generate(this.#providers, scope.context, this.#limits.timeoutMs)
    return { ...made, madeAt: this.#limits.clock(), used: { messages: 0, bytes: 0 } }
  }

  /** From now on it seals, and what it sealed can be opened. */
  #serve(scope: Scope, made: Sealing): void {
    this.#drop(scope.name)
    this.#sealing.set(scope.name, { ...made, root: copyOf(made.root) })
    this.#trim(this.#sealing)
    this.#keep(openingName(scope, made.section), copyOf(made.root))
  }

  /** The key of now, if it may seal that much more. */
  #taken({ name }: Scope, size: BatchSize): Taken | undefined {
    const key = this.#sealing.get(name)
    if (key === undefined) return undefined
    const taken = this.#isOld(key) ? undefined : this.#spend(key, size)
    if (taken === undefined) this.#drop(name)
    return taken
  }

  /** One that has sealed nothing takes any batch whole. */
  #spend({ root, section, used }: Sealing, size: BatchSize): Taken | undefined {
    const { maxMessages, maxBytes } = this.#limits
    const isFull = used.messages + size.messages > maxMessages || used.bytes + size.bytes > maxBytes
    if (isFull && used.messages > 0) return undefined
    used.messages += size.messages
    used.bytes += size.bytes
    const spend = (bytes: number): void => {
      used.bytes += bytes
    }
    return { root: copyOf(root), section, spend }
  }

  #drop(name: string): void {
    this.#sealing.get(name)?.root.fill(0)
    this.#sealing.delete(name)
  }

  #keep(name: string, root: Buffer): void {
    this.#opened.set(name, { root, madeAt: this.#limits.clock() })
    this.#trim(this.#opened)
  }

  #trim(keys: Map<string, { readonly root: Buffer }>): void {
    for (const [name, { root }] of keys) {
      if (keys.size <= this.#limits.maxKeys) return
      root.fill(0)
      keys.delete(name)
    }
  }

  #isOld({ madeAt }: { readonly madeAt: number }): boolean {
    const age = this.#limits.clock() - madeAt
    return !(age >= 0 && age < this.#limits.maxAgeMs)
  }
}
