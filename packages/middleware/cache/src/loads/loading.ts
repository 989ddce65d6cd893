import type { CallOptions, ReadMeta, StandIn } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { LoadContext, LoadFacts } from '../explicit/loaded.ts'
import { Failure } from './answer.ts'

/** Times of one entry, in the place of those of the cache; milliseconds. */
export interface Freshness {
  readonly freshForMs?: number | undefined
  readonly absentForMs?: number | undefined
}

/** What is said of one entry, before what the cache says. */
export interface Own extends Freshness {
  readonly tags?: readonly string[] | undefined
  /** When it began, if that was earlier. */
  readonly born?: number | undefined
}

/** The consistency level of a call that looks into the tiers and never asks what lies below them. */
export const keptOnly = 'kept'

/** Asks for one of the keys of a call. */
export type KeyLoader = (context: LoadContext, key: string) => unknown

/** What a caller of an explicit cache brings along: the way to load, and the times of what it brings. */
export class Loading {
  readonly load: KeyLoader
  /** The value as the tier below takes it, if it is known already. */
  readonly encoded: Uint8Array | undefined
  readonly #own: Own
  /** What the loader said of each key, which goes before what its caller said. */
  readonly #told = new Map<string, LoadFacts>()
  readonly #failures = new Map<string, unknown>()

  constructor(load: KeyLoader, own: Own = {}, encoded?: Uint8Array) {
    this.load = load
    this.encoded = encoded
    this.#own = own
  }

  /** Note what the loader said. */
  told(key: string, facts: LoadFacts): void {
    this.#told.set(key, facts)
  }

  /** Note what the loader threw for a key: the tier between makes an error of its own of it. */
  failed(key: string, error: unknown): void {
    this.#failures.set(key, error)
  }

  /** The failure of the loader for a key. */
  failureOf(key: string): Failure | undefined {
    return this.#failures.has(key) ? new Failure(this.#failures.get(key)) : undefined
  }

  /** What the caller and the loader said of a key. */
  of(key: string): Own {
    const { freshForMs, absentForMs, tags } = this.#own
    const told = this.#told.get(key)
    const all = told?.tags === undefined ? tags : [...told.tags, ...(tags ?? [])]
    return { freshForMs: told?.freshForMs ?? freshForMs, absentForMs, tags: all }
  }
}

/** The options of one call of an explicit cache on its way down. */
export class LoaderCall implements CallOptions {
  readonly loading: Loading | undefined
  readonly signal: AbortSignal | undefined
  readonly consistency: string | undefined
  settled = false
  readonly #timeoutMs: number
  #deadlineAt: number | undefined

  constructor(loading: Loading | undefined, timeoutMs: number, signal?: AbortSignal, consistency?: string) {
    this.loading = loading
    this.#timeoutMs = timeoutMs
    this.signal = signal
    this.consistency = consistency
  }

  get deadlineAt(): number {
    this.#deadlineAt ??= performance.now() + this.#timeoutMs
    return this.#deadlineAt
  }
}

/** The same call, past the tiers below; whether anybody waits is asked of the call itself. */
export class PassingCall implements CallOptions {
  readonly consistency = 'strong'
  readonly loading: Loading | undefined
  readonly #call: CallOptions

  constructor(call: CallOptions) {
    this.#call = call
    this.loading = loadingOf(call)
  }

  get deadlineAt(): number {
    return this.#call.deadlineAt
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal
  }

  get whole(): boolean {
    return this.#call.whole === true
  }

  get standIn(): StandIn | undefined {
    return this.#call.standIn
  }

  /** As of the call. */
  get absences(): Map<string, ReadMeta> | undefined {
    return this.#call.absences
  }

  set absences(absences: Map<string, ReadMeta> | undefined) {
    this.#call.absences = absences
  }

  get settled(): boolean {
    return this.#call.settled === true
  }
}

/** What the caller who began this call or load brought along. */
export function loadingOf(call: CallOptions): Loading | undefined {
  return (call as { readonly loading?: Loading | undefined }).loading
}
