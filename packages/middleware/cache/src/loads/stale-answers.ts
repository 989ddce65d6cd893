import {
  type Awaitable,
  andThen,
  type CallOptions,
  type Entry,
  type ErrorCode,
  isLive,
  isPromise,
  isStoreError,
  type Read,
  type ReadMeta,
  type ReadResult,
} from '@unikv/core'
import type { BusLink } from '../bus/bus-link.ts'
import type { Counters } from '../cache-stats.ts'
import { type CachedEntry, entryOf, uncopied } from '../object/cached-entry.ts'
import type { ObjectCacheSettings } from '../object/object-cache-options.ts'
import { asAsked, Failure, type Found } from './answer.ts'
import type { Flights } from './flights.ts'
import { lastMomentMs, tooLate } from './last-moment.ts'
import { within } from './soft-timeout.ts'

/** Failures for which a stale entry may stand in. */
const transient: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'OVERLOADED', 'TIMEOUT'])

/**
 * Entries that are no longer fresh as answers, marked so: while they are renewed, or where the store gives none. What a
 * write has removed is not there any more, and a strong read is never answered so.
 */
export class StaleAnswers {
  readonly #settings: ObjectCacheSettings
  readonly #counters: Counters
  readonly #flights: Flights
  readonly #peek: (key: string) => CachedEntry | undefined
  readonly #bus: BusLink | undefined
  readonly #meta: ReadMeta
  /** Until when no load of an entry is to be begun, as one has failed. */
  readonly #pausedUntil = new WeakMap<CachedEntry, number>()
  /** To be renewed, as stale entries were the answer. */
  #due: Read[] = []

  constructor(
    settings: ObjectCacheSettings,
    counters: Counters,
    flights: Flights,
    peek: (key: string) => CachedEntry | undefined,
    bus: BusLink | undefined,
  ) {
    this.#settings = settings
    this.#counters = counters
    this.#flights = flights
    this.#peek = peek
    this.#bus = bus
    this.#meta = Object.freeze({ tier: settings.tier, stale: true })
  }

  /** The entry, if it may be the answer while it is renewed: see `renew`. */
  whileRenewed(kept: CachedEntry, read: Read, call: CallOptions): ReadResult<unknown> {
    const { staleWhileRevalidateMs, background } = this.#settings
    if (this.#isPaused(kept, call)) return this.#whilePaused(kept, read)
    if (background === undefined || !this.#mayServe(kept, staleWhileRevalidateMs, call)) return undefined
    const answer = this.#answer(kept, read)
    if (answer === undefined) return undefined
    if (!this.#flights.isRenewing(kept.key)) this.#due.push({ key: kept.key })
    this.#counters.hits++
    return answer
  }

  #whilePaused(kept: CachedEntry, read: Read): ReadResult<unknown> {
    const answer = this.#answer(kept, read)
    if (answer !== undefined) this.#counters.hits++
    return answer
  }

  /** Note that the load of a key has failed, so that the next one waits. */
  failed(key: string, found: Found): void {
    const { staleRetryMs, staleOn } = this.#settings
    const kept = staleRetryMs > 0 && isTransient(found, staleOn) ? this.#peek(key) : undefined
    if (kept !== undefined) this.#pause(kept)
  }

  #pause(kept: CachedEntry): void {
    const { staleRetryMs, monotonicClock } = this.#settings
    if (staleRetryMs > 0) this.#pausedUntil.set(kept, monotonicClock() + staleRetryMs)
  }

  #isPaused(kept: CachedEntry, call: CallOptions): boolean {
    const { staleRetryMs, staleIfErrorMs, monotonicClock } = this.#settings
    if (staleRetryMs === 0 || !this.#mayServe(kept, staleIfErrorMs, call)) return false
    return monotonicClock() < (this.#pausedUntil.get(kept) ?? Number.NEGATIVE_INFINITY)
  }

  /** Note that an entry is to be renewed although it is fresh: see `renew`. */
  ahead(key: string): void {
    if (this.#flights.isRenewing(key) || this.#due.some((read) => read.key === key)) return
    this.#counters.refreshes++
    this.#due.push({ key })
  }

  /** Whether `renew` has something to do. */
  get isDue(): boolean {
    return this.#due.length > 0
  }

  /** Load what was answered from stale entries, or is to be renewed ahead, in one call that nobody waits for. */
  renew(call: CallOptions): void {
    const due = this.#due
    this.#due = []
    const work = this.#flights.start(due, call, true)
    if (isPromise(work)) this.#settings.background?.(work)
  }

  /** What was fetched, with stale entries in the place of transient failures, and of all that takes too long. */
  instead(
    reads: readonly Read[],
    call: CallOptions,
    fetched: Awaitable<readonly Found[]>,
  ): Awaitable<readonly Found[]> {
    const { staleIfErrorMs, softTimeoutMs: ms, background } = this.#settings
    if (staleIfErrorMs === 0) return fetched
    const last = (found: readonly Found[]): readonly Found[] => this.#repaired(found, reads, call)
    if (!isPromise(fetched)) return andThen(fetched, last)
    const soon =
      ms === Number.POSITIVE_INFINITY
        ? fetched.then(last)
        : within(fetched, { ms, instead: () => this.#stale(reads, call), last, background })
    const lastMs = lastMomentMs(call)
    if (lastMs === Number.POSITIVE_INFINITY || !reads.some(({ key }) => this.#servable(key, call)))
      return soon
    return within(soon, { ms: lastMs, instead: () => this.#inTheEnd(reads, call), background })
  }

  /** Before the call ends: stale entries, where there are some. */
  #inTheEnd(reads: readonly Read[], call: CallOptions): readonly Found[] | undefined {
    const kept = reads.map(({ key }) => this.#servable(key, call))
    const answers = kept.map((one, i) => one && this.#answer(one, reads[i] as Read))
    if (answers.every((one) => one === undefined)) return undefined
    for (const [i, one] of kept.entries()) if (one !== undefined && answers[i] !== undefined) this.#pause(one)
    return answers.map((one) => one ?? tooLate())
  }

  #repaired(found: readonly Found[], reads: readonly Read[], call: CallOptions): readonly Found[] {
    const { staleOn } = this.#settings
    return found.map((one, i) =>
      isTransient(one, staleOn) ? (this.#find(reads[i] as Read, call) ?? one) : one,
    )
  }

  /** Stale entries, if there is one for each read. */
  #stale(reads: readonly Read[], call: CallOptions): readonly Found[] | undefined {
    const kept = reads.map(({ key }) => this.#servable(key, call))
    if (!kept.every((one) => one !== undefined)) return undefined
    const answers = kept.map((one, i) => this.#answer(one, reads[i] as Read))
    if (answers.includes(undefined)) return undefined
    for (const one of kept) this.#pause(one)
    return answers
  }

  #find(read: Read, call: CallOptions): ReadResult<unknown> {
    const kept = this.#servable(read.key, call)
    return kept === undefined ? undefined : this.#answer(kept, read)
  }

  #servable(key: string, call: CallOptions): CachedEntry | undefined {
    const kept = this.#peek(key)
    return kept !== undefined && this.#mayServe(kept, this.#settings.staleIfErrorMs, call) ? kept : undefined
  }

  /** Whether an entry may be an answer for so long after its freshness. */
  #mayServe(kept: CachedEntry, forMs: number, { consistency }: Pick<CallOptions, 'consistency'>): boolean {
    const { entry, freshUntil, epoch } = kept
    if (kept.isVoid || consistency !== undefined || entry === undefined) return false
    const { monotonicClock, clock } = this.#settings
    const wasFreshUntil = Math.min(freshUntil, this.#bus?.trustedUntil(epoch) ?? freshUntil)
    return monotonicClock() < wasFreshUntil + forMs && isLive(entry.expiresAt, clock())
  }

  /** Whether an entry may be an answer to any read. */
  mayEverServe(kept: CachedEntry): boolean {
    const { staleWhileRevalidateMs, staleIfErrorMs, background } = this.#settings
    const longestMs = Math.max(staleIfErrorMs, background === undefined ? 0 : staleWhileRevalidateMs)
    return this.#mayServe(kept, longestMs, {})
  }

  /** Nothing, if the value could not be copied. */
  #answer(kept: CachedEntry, read: Read): ReadResult<unknown> {
    const entry = entryOf(kept)
    if (entry === uncopied) return undefined
    this.#counters.staleAnswers++
    // A reader is a reader, also of what is stale.
    if (this.#settings.idleForMs !== Number.POSITIVE_INFINITY) kept.usedAt = this.#settings.monotonicClock()
    return asAsked(read, { ...(entry as Entry<unknown>), meta: this.#meta }) as ReadResult<unknown>
  }
}

/** Whether the store could not be asked, or gave no answer: it may have one later. `staleOn` judges foreign errors. */
export function isTransient(found: Found, staleOn: (error: unknown) => boolean = () => false): boolean {
  const error = found instanceof Failure ? found.error : found
  if (isStoreError(error)) return transient.has(error.code)
  return found instanceof Failure && staleOn(error)
}
