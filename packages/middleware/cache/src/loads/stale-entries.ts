import {
  type CallOptions,
  type Entry,
  type ErrorCode,
  isLive,
  isStoreError,
  type Read,
  type ReadMeta,
  type ReadResult,
} from '@unikv/core'
import type { Counters } from '../cache-stats.ts'
import type { ObjectCacheSettings } from '../object-cache-options.ts'
import { type CachedEntry, entryOf, uncopied } from '../values/cached-entry.ts'
import { asAsked, Failure, type Found } from './answer.ts'
import type { Due } from './due.ts'
import type { Flights } from './flights.ts'

/** Parts of the cache that stale entries need. */
export interface StaleParts {
  readonly settings: ObjectCacheSettings
  readonly counters: Counters
  readonly flights: Flights
  readonly peek: (key: string) => CachedEntry | undefined
  /** Tells until when what was loaded in an epoch is trusted. */
  readonly bus: { trustedUntil(epoch: number): number } | undefined
}

/** Failures for which a stale entry may stand in. */
const transient: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'OVERLOADED', 'TIMEOUT'])

/**
 * Entries that are no longer fresh, as answers that are marked so. Entries that a write has removed are gone, and a
 * strong read is never answered so.
 */
export class StaleEntries {
  readonly #parts: StaleParts
  readonly #meta: ReadMeta
  /** Until when no load of an entry may begin, as one has failed. */
  readonly #pausedUntil = new WeakMap<CachedEntry, number>()

  constructor(parts: StaleParts) {
    this.#parts = parts
    this.#meta = Object.freeze({ tier: parts.settings.tier, stale: true })
  }

  /** The entry, if it may be the answer while it is renewed. */
  whileRenewed(kept: CachedEntry, read: Read, call: CallOptions, due: Due): ReadResult<unknown> {
    const { settings, flights, counters } = this.#parts
    const { staleWhileRevalidateMs, background } = settings
    const isPaused = this.#isPaused(kept, call)
    const mayRenew = (): boolean =>
      background !== undefined && this.#mayServe(kept, staleWhileRevalidateMs, call)
    if (!isPaused && !mayRenew()) return undefined
    const answer = this.answer(kept, read)
    if (answer === undefined) return undefined
    if (!isPaused && !flights.isRenewing(kept.key)) due.add(kept.key)
    counters.hits++
    return answer
  }

  /** Note that a fresh entry should be renewed. */
  ahead(key: string, due: Due): void {
    const { flights, counters } = this.#parts
    if (flights.isRenewing(key) || due.has(key)) return
    counters.refreshes++
    due.add(key)
  }

  /** Note that the load of a key has failed, so that the next one waits. */
  failed(key: string, found: Found): void {
    const { staleRetryMs, staleOn } = this.#parts.settings
    const kept = staleRetryMs > 0 && isTransient(found, staleOn) ? this.#parts.peek(key) : undefined
    if (kept !== undefined) this.pause(kept)
  }

  pause(kept: CachedEntry): void {
    const { staleRetryMs, monotonicClock } = this.#parts.settings
    if (staleRetryMs > 0) this.#pausedUntil.set(kept, monotonicClock() + staleRetryMs)
  }

  #isPaused(kept: CachedEntry, call: CallOptions): boolean {
    const { staleRetryMs, staleIfErrorMs, monotonicClock } = this.#parts.settings
    if (staleRetryMs === 0 || !this.#mayServe(kept, staleIfErrorMs, call)) return false
    return monotonicClock() < (this.#pausedUntil.get(kept) ?? Number.NEGATIVE_INFINITY)
  }

  /** The entry of a key that may stand in for what below does not tell. */
  standIn(key: string, call: CallOptions): CachedEntry | undefined {
    const kept = this.#parts.peek(key)
    return kept !== undefined && this.#mayServe(kept, this.#parts.settings.staleIfErrorMs, call)
      ? kept
      : undefined
  }

  /** Whether an entry may be an answer for so long after its freshness. */
  #mayServe(kept: CachedEntry, forMs: number, { consistency }: Pick<CallOptions, 'consistency'>): boolean {
    const { entry, freshUntil, epoch } = kept
    if (kept.isVoid || consistency !== undefined || entry === undefined) return false
    const { monotonicClock, clock } = this.#parts.settings
    const wasFreshUntil = Math.min(freshUntil, this.#parts.bus?.trustedUntil(epoch) ?? freshUntil)
    return monotonicClock() < wasFreshUntil + forMs && isLive(entry.expiresAt, clock())
  }

  /** Whether an entry may be an answer to any read. */
  mayEverServe(kept: CachedEntry): boolean {
    const { staleWhileRevalidateMs, staleIfErrorMs, background } = this.#parts.settings
    const longestMs = Math.max(staleIfErrorMs, background === undefined ? 0 : staleWhileRevalidateMs)
    return this.#mayServe(kept, longestMs, {})
  }

  /** The entry as a stale answer; `undefined` if the value could not be copied. */
  answer(kept: CachedEntry, read: Read): ReadResult<unknown> {
    const { settings, counters } = this.#parts
    const entry = entryOf(kept)
    if (entry === uncopied) return undefined
    counters.staleAnswers++
    // A reader is a reader, also of what is stale.
    if (settings.idleForMs !== Number.POSITIVE_INFINITY) kept.usedAt = settings.monotonicClock()
    return asAsked(read, { ...(entry as Entry<unknown>), meta: this.#meta }) as ReadResult<unknown>
  }
}

/** Whether the store could not be asked, or gave no answer: it may have one later. `staleOn` judges foreign errors. */
export function isTransient(found: Found, staleOn: (error: unknown) => boolean = () => false): boolean {
  const error = found instanceof Failure ? found.error : found
  if (isStoreError(error)) return transient.has(error.code)
  return found instanceof Failure && staleOn(error)
}
