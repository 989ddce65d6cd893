import { createHash } from 'node:crypto'
import type { Awaitable, Bytes, CallOptions } from '@unikv/core'
import type { BatchSize } from '../vault.ts'
import type { WrappedKey } from '../wrapped-keys.ts'
import { awaited } from './asking.ts'
import type { KmsContext, KmsProvider } from './kms-provider.ts'
import { generate, type Sealable, unwrap } from './wrapping.ts'

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

/** A key that seals now, and what it sealed. */
interface Sealing extends Sealable {
  readonly madeAt: number
  messages: number
  bytes: number
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

/** A question to the services, and who waits for its answer: the last of them overwrites it. */
interface Opening {
  readonly answer: Promise<Buffer>
  waiting: number
  root: Buffer | undefined
}

/** A section whose key is wanted. */
export interface Question {
  /** Of `openingName`. */
  readonly name: string
  readonly scope: Scope
  readonly wrapped: readonly WrappedKey[]
  readonly accepts: Accepts
}

/** Under what the key of a section is kept. */
export function openingName(scope: Scope, section: Bytes): string {
  return `${createHash('sha256').update(section).digest('base64')} ${scope.name}`
}

/** What a wrapped key gave. Good only as far as it agrees with the commitment of a record. */
export type Accepts = (root: Buffer) => boolean

/** The data keys in memory, bounded; one question at a time to the services for each of them. */
export class DataKeys {
  readonly #providers: readonly KmsProvider[]
  readonly #limits: DataKeyLimits
  readonly #sealing = new Map<string, Sealing>()
  readonly #generating = new Map<string, Promise<void>>()
  /** By scope and section; the least recently used first. */
  readonly #opened = new Map<string, Unwrapped>()
  readonly #opening = new Map<string, Opening>()

  constructor(providers: readonly KmsProvider[], limits: DataKeyLimits) {
    this.#providers = providers
    this.#limits = limits
  }

  /** A copy of the key that seals a batch now, to be overwritten by whoever asked; counted as used. */
  sealing(scope: Scope, size: BatchSize, call: CallOptions): Awaitable<Taken> {
    return this.#taken(scope, size) ?? this.#generated(scope, size, call)
  }

  /** A copy of a kept key, to be overwritten by whoever asked. */
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
   * A copy of the key of a section that is not kept, to be overwritten by whoever asked. It is kept if it agrees with one
   * of the records that are opened; so a record that was tampered with cannot spoil the key of others.
   */
  async opening({ name, scope, wrapped, accepts }: Question, call: CallOptions): Promise<Buffer> {
    const flight = this.#opening.get(name) ?? this.#ask({ name, scope, wrapped, accepts })
    flight.waiting++
    let root: Buffer
    try {
      root = copyOf(await awaited(flight.answer, call))
    } finally {
      flight.waiting--
      if (flight.waiting === 0) flight.root?.fill(0)
    }
    if (accepts(root) && !this.#opened.has(name)) this.#keep(name, copyOf(root))
    return root
  }

  #ask({ name, scope, wrapped, accepts }: Question): Opening {
    const answer = unwrap(this.#providers, wrapped, scope.context, this.#limits.timeoutMs, accepts)
    const flight: Opening = { answer, waiting: 0, root: undefined }
    this.#opening.set(name, flight)
    const over = (root?: Buffer): void => {
      this.#opening.delete(name)
      flight.root = root
      if (flight.waiting === 0) root?.fill(0)
    }
    answer.then(over, () => over())
    return flight
  }

  /** Overwrite all keys with zeros. */
  forget(): void {
    for (const { root } of [...this.#sealing.values(), ...this.#opened.values()]) root.fill(0)
    this.#sealing.clear()
    this.#opened.clear()
  }

  async #generated(scope: Scope, size: BatchSize, call: CallOptions): Promise<Taken> {
    while (true) {
      let asked = this.#generating.get(scope.name)
      if (asked === undefined) {
        asked = this.#generate(scope)
        this.#generating.set(scope.name, asked)
        const over = (): boolean => this.#generating.delete(scope.name)
        asked.then(over, over)
      }
      await awaited(asked, call)
      const taken = this.#taken(scope, size)
      if (taken !== undefined) return taken
    }
  }

  async #generate(scope: Scope): Promise<void> {
    const made = await generate(this.#providers, scope.context, this.#limits.timeoutMs)
    this.#drop(scope.name)
    this.#sealing.set(scope.name, { ...made, madeAt: this.#limits.clock(), messages: 0, bytes: 0 })
    this.#trim(this.#sealing)
    this.#keep(openingName(scope, made.section), copyOf(made.root))
  }

  /** The key of now, if it may seal that much more. One that has sealed nothing takes any batch whole. */
  #taken({ name }: Scope, size: BatchSize): Taken | undefined {
    const key = this.#sealing.get(name)
    if (key === undefined) return undefined
    const { maxMessages, maxBytes } = this.#limits
    const isFull = key.messages + size.messages > maxMessages || key.bytes + size.bytes > maxBytes
    if (this.#isOld(key) || (isFull && key.messages > 0)) {
      this.#drop(name)
      return undefined
    }
    key.messages += size.messages
    key.bytes += size.bytes
    const spend = (bytes: number): void => {
      key.bytes += bytes
    }
    return { root: copyOf(key.root), section: key.section, spend }
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

function copyOf(root: Buffer): Buffer {
  const copy = Buffer.alloc(root.length)
  copy.set(root)
  return copy
}
