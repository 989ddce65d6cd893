import type { CallOptions } from '@unikv/core'
import { type Fact, fact, isForOne } from '@unikv/core/adapter'
import type { LoadContext, LoadFacts } from '../loaded.ts'

/** Times of one entry, in the place of those of the cache; milliseconds. */
export interface Freshness {
  readonly freshForMs?: number | undefined
  readonly absentForMs?: number | undefined
}

/** Settings of one entry, which go before those of the cache. */
export interface Own extends Freshness {
  readonly tags?: readonly string[] | undefined
  /** When it began, if that was earlier. */
  readonly born?: number | undefined
}

/** The consistency level of a call that looks into the tiers and never asks what lies below them. */
export const keptOnly = 'kept'

/** Asks for one of the keys of a call. */
export type KeyLoader = (context: LoadContext, key: string) => unknown

/** Told by a call of an explicit cache: the way to load, and the times of the loaded entry. */
export class Loading {
  readonly load: KeyLoader
  /** The value as the tier below takes it, if it is known already. */
  readonly encoded: Uint8Array | undefined
  readonly #own: Own
  /** Facts of the loader by key; they go before those of its caller. */
  readonly #told = new Map<string, LoadFacts>()

  constructor(load: KeyLoader, own: Own = {}, encoded?: Uint8Array) {
    this.load = load
    this.encoded = encoded
    this.#own = own
  }

  /** Note what the loader said. */
  told(key: string, facts: LoadFacts): void {
    this.#told.set(key, facts)
  }

  /** Facts about a key from the caller and the loader. */
  of(key: string): Own {
    const { freshForMs, absentForMs, tags } = this.#own
    const told = this.#told.get(key)
    const all = told?.tags === undefined ? tags : [...told.tags, ...(tags ?? [])]
    return { freshForMs: told?.freshForMs ?? freshForMs, absentForMs, tags: all }
  }
}

export const loadings: Fact<Loading> = fact('cache.loading')

/** Whether a read is for its maker alone, and none shares it. */
export function isAlone({ facts, consistency }: CallOptions): boolean {
  return consistency === 'strong' && isForOne.of(facts) === true
}
