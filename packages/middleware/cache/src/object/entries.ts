import { type Entry, isLive, type NotModified, type ReadMeta } from '@unikv/core'
import type { BusLink } from '../bus/bus-link.ts'
import type { Counters } from '../cache-stats.ts'
import { type Answer, Failure, renewed } from '../loads/answer.ts'
import type { Flight } from '../loads/flight.ts'
import type { ObjectCacheSettings } from '../object-cache-options.ts'
import { Residents } from '../policies/residents.ts'
import { bytesOfTags } from '../tags/tag-names.ts'
import { type Tagging, unkept } from '../tags/tagging.ts'
import { CachedEntry, type Weight } from '../values/cached-entry.ts'
import { stringBytes } from '../values/inspect.ts'
import { type Shared, sharable } from '../values/sharing.ts'
import { Touched } from '../warm/touched.ts'
import type { WarmCache } from '../warm/warm-cache.ts'
import { Admission } from './admission.ts'
import { ObjectResidents } from './cache-object.ts'
import { EntryMaker, type Times } from './entry-maker.ts'
import { removals } from './removals.ts'

/** Bytes of an entry besides its key and value, fields of the policy included: 251 to 278 (`bench/cache-memory.ts`). */
const entryBytes = 272

/** Parts of the cache that its entries need. */
export interface Surroundings {
  /** Whether the store can be asked if a version is still the same. */
  readonly revalidates: boolean
  readonly settings: ObjectCacheSettings
  readonly counters: Counters
  readonly bus: BusLink | undefined
  readonly tagging: Tagging
  /** Whether an entry may ever be a stale answer. */
  readonly mayEverServe: (kept: CachedEntry) => boolean
}

/** Where entries lie. */
export type EntryResidents = Pick<Residents<CachedEntry>, keyof Residents<CachedEntry>>

function residentsOf(settings: ObjectCacheSettings, counters: Counters): EntryResidents {
  if (settings.in !== undefined) return new ObjectResidents(settings.in)
  const removed = removals(settings.onRemove, (key) => made.peek(key))
  const made: Residents<CachedEntry> = new Residents(
    settings,
    settings.policy,
    (kept: CachedEntry, cause) => {
      if (cause === 'evicted') counters.evictions++
      removed?.(kept, cause)
    },
  )
  return made
}

/** The entries of a cache in this process: how they come in, what they weigh, and how long they are good for what. */
export class Entries implements WarmCache {
  readonly residents: EntryResidents
  readonly clock: () => number
  readonly maker: EntryMaker
  readonly #around: Surroundings
  readonly #settings: ObjectCacheSettings
  /** Metadata of answers of this tier. */
  readonly meta: ReadMeta
  readonly #admission: Admission
  /** While it is filled from what was saved. */
  #touched: Touched | undefined

  constructor(around: Surroundings) {
    const { settings, counters } = around
    this.#around = around
    this.#settings = settings
    this.clock = settings.clock
    this.maker = new EntryMaker(settings, around.tagging.table)
    this.meta = Object.freeze({ tier: settings.tier })
    this.residents = residentsOf(settings, counters)
    this.#admission = new Admission(settings, counters)
  }

  /** Drops all that is known about this key. */
  drop(key: string): void {
    this.#touched?.add(key)
    this.residents.delete(key)
  }

  /**
   * The value just found is not kept, so an older one must not stay: a reader that got the new value must not get the old
   * one afterwards.
   */
  outdate(key: string, found: Entry<unknown> | NotModified | undefined): void {
    const kept = this.residents.peek(key)
    if (kept === undefined) return
    const { entry } = kept
    const isSame = found === undefined ? entry === undefined : isSameVersion(entry, found)
    if (!isSame) this.drop(key)
  }

  /** Something is about to be heard of this key. */
  touch(key: string): void {
    this.#touched?.add(key)
  }

  /** Drops all keys that start with one of these prefixes. */
  forget(prefixes: readonly string[]): void {
    this.#touched?.addAll()
    if (prefixes.includes('')) this.residents.clear()
    else this.residents.deleteAll(prefixes)
  }

  clear(): void {
    this.#touched?.addAll()
    this.residents.clear()
  }

  isFresh(kept: CachedEntry): boolean {
    const { freshUntil, entry, epoch } = kept
    if (kept.isVoid || this.isIdle(kept)) return false
    if (this.#around.bus?.trusts(epoch) === false) return false
    const { monotonicClock } = this.#settings
    if (freshUntil !== Number.POSITIVE_INFINITY && freshUntil <= monotonicClock()) return false
    return entry?.expiresAt === undefined || isLive(entry.expiresAt, this.clock())
  }

  /** Whether it has ended because it was not read for too long. */
  isIdle({ usedAt }: CachedEntry): boolean {
    const { idleForMs, monotonicClock } = this.#settings
    return this.maker.isSliding && usedAt + idleForMs <= monotonicClock()
  }

  /** It was a hit. */
  used(kept: CachedEntry): void {
    if (this.maker.isSliding) kept.usedAt = this.#settings.monotonicClock()
  }

  /** Whether an entry may ever be an answer, or spare a body. */
  isOfUse(kept: CachedEntry): boolean {
    return this.isFresh(kept) || this.#canRevalidate(kept) || this.#around.mayEverServe(kept)
  }

  /** The entry of this key, if the store can be asked whether it is still the same. */
  revalidatable(key: string, revalidates: boolean = this.#around.revalidates): CachedEntry | undefined {
    const kept = this.residents.peek(key)
    return kept !== undefined && this.#canRevalidate(kept, revalidates) ? kept : undefined
  }

  /** An answer that no caller can join and that may not be kept is not even looked at. */
  keep(flight: Flight, entry: Entry<unknown>, asked: Times): Answer {
    const { key, overtaken, joined } = flight
    const mayKeep = !overtaken && entry.meta?.stale !== true
    if (mayKeep) this.residents.delete(key, 'replaced')
    if (!mayKeep && !joined) return { result: entry }
    const tags = this.#around.tagging.land(flight, entry.value, asked)
    const times = this.#admission.admit(key, entry.value, asked)
    const isWanted = tags !== unkept && times !== unkept
    const { bytes, share } = sharable(entry.value, this.#settings)
    const size = entryBytes + stringBytes(key) + bytes + (isWanted ? bytesOfTags(tags) : 0)
    const fits = isWanted && size <= this.#settings.maxBytes
    const shared = fits || joined ? share() : undefined
    if (mayKeep && fits && shared !== undefined) {
      const weight = { bytes: size, cost: this.maker.cost(size, times) }
      this.#put(key, entry, shared, { weight, tags }, times)
    } else if (mayKeep && isWanted) this.#around.counters.refusals++
    return { result: entry, shared }
  }

  /** The store said that the entry is still the same; what lies below may have said so of a stale one of its own. */
  renew(flight: Flight, result: NotModified, stale: CachedEntry, asked: Times): Answer {
    const { copy } = stale
    const isStale = result.meta?.stale === true
    // The store that was asked has answered it, and not this tier.
    const entry = { ...renewed(stale.entry as Entry<unknown>, result), meta: result.meta }
    const shared = { value: entry.value, copy }
    if (!isStale) this.#around.counters.revalidations++
    const tags = this.#around.tagging.land(flight, entry.value, asked, stale.tags)
    const times = this.#admission.admit(flight.key, entry.value, asked)
    if (!isStale && !flight.overtaken && tags !== unkept && times !== unkept) {
      const bytes = stale.bytes - bytesOfTags(stale.tags) + bytesOfTags(tags)
      this.#put(flight.key, entry, shared, { weight: { bytes, cost: stale.cost }, tags }, times)
    } else if (!flight.overtaken && times === unkept) this.residents.delete(flight.key)
    return { result: this.#answerOf(flight.key, entry, copy), shared }
  }

  /** The entry for the first reader; without a copy there is none, and the next reader loads all of it. */
  #answerOf(key: string, entry: Entry<unknown>, copy: CachedEntry['copy']): Answer['result'] {
    if (copy === undefined) return entry
    try {
      return { ...entry, value: copy(entry.value) }
    } catch (error) {
      this.residents.delete(key)
      return new Failure(error)
    }
  }

  /** There is nothing. */
  keepAbsent(flight: Flight, times: Times): void {
    const { key, overtaken, joined } = flight
    if (overtaken && !joined) return
    const tags = this.#around.tagging.land(flight, undefined, times)
    if (overtaken) return
    const bytes = entryBytes + stringBytes(key) + (tags === unkept ? 0 : bytesOfTags(tags))
    const isKept = tags !== unkept && times.absentForMs !== 0 && bytes <= this.#settings.maxBytes
    if (!isKept || this.#admission.admit(key, undefined, times) === unkept)
      this.residents.delete(key, 'replaced')
    else {
      const weight = { bytes, cost: this.maker.cost(bytes, times) }
      this.residents.set(this.maker.make({ key, entry: undefined, copy: undefined, weight, tags }, times))
    }
  }

  get monotonicClock(): () => number {
    return this.#settings.monotonicClock
  }

  get freshForMs(): number {
    return this.#settings.freshForMs
  }

  get maxEntries(): number {
    return this.#settings.maxEntries
  }

  get maxBytes(): number {
    return this.#settings.maxBytes
  }

  hottest(): readonly CachedEntry[] {
    return this.residents.hottest()
  }

  isKept(kept: CachedEntry): boolean {
    return this.residents.peek(kept.key) === kept
  }

  asCachedEntry(
    key: string,
    entry: Entry<unknown>,
    savedUntil: number,
    cost: number,
  ): CachedEntry | undefined {
    const asked = this.maker.times(undefined, { epoch: undefined, born: 0 })
    const times = this.#admission.admit(key, entry.value, asked)
    if (times === unkept) return undefined
    const freshUntil = Math.min(savedUntil, times.askedAt + times.freshForMs)
    const { bytes, share } = sharable(entry.value, this.#settings)
    const size = entryBytes + stringBytes(key) + bytes
    const shared = size <= this.#settings.maxBytes ? share() : undefined
    if (shared === undefined) return undefined
    const kinds = { same: 1, bytes: size, loadTime: cost }
    const weight = { bytes: size, cost: kinds[this.#settings.cost] }
    const kept = new CachedEntry(key, this.#ownOf(entry, shared), shared.copy, weight, { freshUntil })
    this.used(kept)
    return this.isOfUse(kept) ? kept : undefined
  }

  startRestore(): Touched {
    this.#touched = new Touched()
    return this.#touched
  }

  restore(kept: CachedEntry): boolean {
    const { key } = kept
    const isTouched = this.#touched === undefined || this.#touched.has(key)
    if (isTouched || this.residents.peek(key) !== undefined || !this.residents.hasRoomFor(kept)) return false
    this.residents.set(kept)
    return true
  }

  endRestore(): void {
    this.#touched = undefined
  }

  #put(
    key: string,
    entry: Entry<unknown>,
    shared: Shared,
    own: { readonly weight: Weight; readonly tags: readonly string[] | undefined },
    times: Times,
  ): void {
    const makings = { key, entry: this.#ownOf(entry, shared), copy: shared.copy, ...own }
    this.residents.set(this.maker.make(makings, times))
  }

  #ownOf({ version, expiresAt }: Entry<unknown>, { value }: Shared): Entry<unknown> {
    return Object.freeze({ value, version, expiresAt, meta: this.meta })
  }

  #canRevalidate(kept: CachedEntry, revalidates: boolean = this.#around.revalidates): boolean {
    const { entry, freshUntil } = kept
    if (kept.isVoid || !revalidates || entry?.version === undefined || this.isIdle(kept)) return false
    const { keepForMs, monotonicClock } = this.#settings
    // An entry of unknown age, fresh until −∞, passes where entries are kept for ever.
    return !(freshUntil + keepForMs <= monotonicClock()) && isLive(entry.expiresAt, this.clock())
  }
}

function isSameVersion(
  entry: Entry<unknown> | undefined,
  { version }: Pick<Entry<unknown>, 'version'>,
): boolean {
  return version !== undefined && entry?.version === version
}
