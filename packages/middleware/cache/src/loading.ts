import type { CallOptions, StandIn } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { Loader, LoadFacts } from './loaded.ts'

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

/** What a caller of an explicit cache brings along: the way to load, and the times of what it brings. */
export class Loading implements Own {
  readonly load: Loader<unknown>
  /** The value as the tier below takes it, if it is known already. */
  readonly encoded: Uint8Array | undefined
  readonly absentForMs: number | undefined
  readonly #freshForMs: number | undefined
  /** Of this load: what the loader says of the entry goes before what its caller said. */
  freshForMs: number | undefined
  /** Of this load: what the caller said, and the loader. */
  tags: readonly string[] | undefined
  readonly #tags: readonly string[] | undefined

  constructor(load: Loader<unknown>, own: Own = {}, encoded?: Uint8Array) {
    this.load = load
    this.encoded = encoded
    this.absentForMs = own.absentForMs
    this.#freshForMs = own.freshForMs
    this.freshForMs = own.freshForMs
    this.#tags = own.tags
    this.tags = own.tags
  }

  /** Note what the loader said. */
  told({ freshForMs, tags }: LoadFacts): void {
    this.freshForMs = freshForMs ?? this.#freshForMs
    this.tags = tags === undefined ? this.#tags : [...tags, ...(this.#tags ?? [])]
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

  get settled(): boolean {
    return this.#call.settled === true
  }
}

/** What the caller who began this call or load brought along. */
export function loadingOf(call: CallOptions): Loading | undefined {
  return (call as { readonly loading?: Loading | undefined }).loading
}
