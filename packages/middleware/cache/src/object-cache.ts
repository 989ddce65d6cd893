import {
  type Awaitable,
  andThen,
  type CallOptions,
  type Entry,
  isEntry,
  isLive,
  isNotModified,
  type Mutation,
  type NotModified,
  type Read,
  type ReadMeta,
  type ReadResult,
  type Store,
  type StoreError,
  type WriteResult,
} from '@unikv/core'
import { type Answer, asAsked, Failure, type Found, renewed, settled } from './answer.ts'
import type { ObjectCacheSettings } from './cache-options.ts'
import type { Counters } from './cache-stats.ts'
import { fetch, orFailure, type Ways } from './fetching.ts'
import { Flight, Flights, type Keep } from './flights.ts'
import { stringBytes } from './inspect.ts'
import { entryOf, Kept, type Weight } from './kept.ts'
import { KeptMaker, type Times } from './kept-maker.ts'
import type { LoadCall } from './load-call.ts'
import { Residents } from './residents.ts'
import { type Shared, sharable } from './sharing.ts'
import { StaleAnswers } from './stale-answers.ts'
import { Touched } from './warm/touched.ts'
import type { WarmCache } from './warm/warm-cache.ts'
import { keeperOf } from './write-through.ts'

/** What an entry takes besides its key and value, with what its policy keeps; measured on Node 20. */
const entryBytes = 296

const missing: unique symbol = Symbol('missing')

/**
 * A cache of what a store shows, as values in this process. While a key is being written nothing of it is kept,
 * so whatever is kept may be answered without a look at what is under way.
 */
export class ObjectCache implements Ways, WarmCache {
  readonly flights: Flights
  readonly counters: Counters
  readonly clock: () => number
  readonly #inner: Pick<Store<unknown>, 'read' | 'write'>
  readonly #settings: ObjectCacheSettings
  readonly #revalidates: boolean
  readonly #meta: ReadMeta
  readonly #stale: StaleAnswers
  readonly #kept: Residents<Kept>
  readonly #maker: KeptMaker
  /** While it is filled from what was saved. */
  #touched: Touched | undefined

  constructor(
    inner: Pick<Store<unknown>, 'read' | 'write'>,
    revalidates: boolean,
    settings: ObjectCacheSettings,
    counters: Counters,
  ) {
    this.#inner = inner
    this.#revalidates = revalidates
    this.#settings = settings
    this.counters = counters
    this.clock = settings.clock
    this.#meta = Object.freeze({ tier: settings.tier })
    this.#kept = new Residents(settings, settings.policy, () => {
      counters.evictions++
    })
    this.flights = new Flights(
      (flights, load) => this.#load(flights, load),
      (key) => {
        this.#touched?.add(key)
        this.#kept.delete(key)
      },
      settings.localTier === 'validated',
    )
    this.#maker = new KeptMaker(settings)
    this.#stale = new StaleAnswers(settings, counters, this.flights, (key) => this.#kept.peek(key))
  }

  /** Entries and bytes now. */
  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#kept.size, bytes: this.#kept.bytes }
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    if (reads.length !== 1) return this.#readMany(reads, call)
    const found = this.#find(reads[0] as Read, call)
    if (this.#stale.isDue) this.#stale.renew(call)
    return found === missing
      ? andThen(this.#stale.instead(reads, call, fetch(reads, call, this)), settled)
      : [found]
  }

  write(mutations: readonly Mutation<unknown>[], call: CallOptions): Awaitable<readonly WriteResult[]> {
    const keys = mutations.map(({ key }) => key)
    return this.flights.write(keys, () => this.#inner.write(mutations, call), this.#keeperOf(mutations))
  }

  /**
   * Keep an entry that its writer vouches for, in the place of all that is kept or under way: at once, and once more when
   * `below` has ended, which writes it to the tiers below.
   */
  put(
    key: string,
    entry: Entry<unknown>,
    freshForMs: number | undefined,
    below: (() => Awaitable<readonly WriteResult[]>) | undefined,
  ): Awaitable<void> {
    const times = this.#maker.times({ freshForMs }, this.#settings.monotonicClock())
    const keep = (): void => void this.#keep(new Flight(key, false), entry, times)
    const written = this.flights.write([key], () => {
      if (below === undefined) return []
      keep()
      return below()
    })
    return andThen(written, keep)
  }

  /**
   * The fresh entry of a key, `null` for one that is known to be absent. It is counted if it is a hit. `mayRenew`: whoever
   * asks can load it; if `isDue` afterwards, he is to `renew`.
   */
  hit(key: string, mayRenew = false): Entry<unknown> | null | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined || (kept.timed && !this.#isFresh(kept))) return undefined
    if (mayRenew && kept.timed && this.#maker.isDue(kept)) this.#stale.ahead(key)
    this.counters.hits++
    return entryOf(kept) ?? null
  }

  /** Whether something that was answered is to be renewed. */
  get isDue(): boolean {
    return this.#stale.isDue
  }

  /** Load it, in one call that nobody waits for. */
  renew(call: CallOptions): void {
    this.#stale.renew(call)
  }

  /** What `look` finds below of a key, by which nobody else is answered; it is kept unless something happens meanwhile. */
  async look(
    key: string,
    look: () => Promise<Entry<unknown> | undefined>,
  ): Promise<Entry<unknown> | undefined> {
    const flight = this.flights.watch(key)
    const times = this.#maker.times(undefined, this.#settings.monotonicClock())
    try {
      const found = await look()
      if (flight !== undefined && found !== undefined) this.#keep(flight, found, times)
      return found
    } finally {
      if (flight !== undefined) this.flights.close(flight)
    }
  }

  /** The entry of a key, fresh or not, if it may be revalidated. */
  revalidatable(key: string): Entry<unknown> | undefined {
    const kept = this.#revalidatable(key, true)
    return kept === undefined ? undefined : entryOf(kept)
  }

  /** Forget everything, and keep nothing of what is under way. */
  clear(): void {
    this.#touched?.addAll()
    this.flights.overtakeAll()
    this.#kept.clear()
  }

  direct(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    this.counters.misses += reads.length
    if (this.#touched !== undefined) for (const { key } of reads) this.#touched.add(key)
    return this.#inner.read(reads, call)
  }

  isDirect({ key, head, ifNotVersion }: Read): boolean {
    return head === true || (ifNotVersion !== undefined && this.#revalidatable(key) === undefined)
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

  hottest(): readonly Kept[] {
    return this.#kept.hottest()
  }

  isKept(kept: Kept): boolean {
    return this.#kept.peek(kept.key) === kept
  }

  asKept(
    key: string,
    { value, version, expiresAt }: Entry<unknown>,
    freshUntil: number,
    cost: number,
  ): Kept | undefined {
    const { bytes, share } = sharable(value, this.#settings)
    const size = entryBytes + stringBytes(key) + bytes
    const shared = size <= this.#settings.maxBytes ? share() : undefined
    if (shared === undefined) return undefined
    const own = Object.freeze({ value: shared.value, version, expiresAt, meta: this.#meta })
    const kinds = { same: 1, bytes: size, loadTime: cost }
    const kept = new Kept(
      key,
      own,
      shared.copy,
      { bytes: size, cost: kinds[this.#settings.cost] },
      freshUntil,
    )
    return this.#isOfUse(kept) ? kept : undefined
  }

  startRestore(): Touched {
    this.#touched = new Touched()
    return this.#touched
  }

  restore(kept: Kept): boolean {
    const { key } = kept
    const isTouched = this.#touched === undefined || this.#touched.has(key)
    if (isTouched || this.#kept.peek(key) !== undefined || !this.#kept.hasRoomFor(kept)) return false
    this.#kept.set(kept)
    return true
  }

  endRestore(): void {
    this.#touched = undefined
  }

  /** Keeps what was written; it is fresh from when the write began. */
  #keeperOf(mutations: readonly Mutation<unknown>[]): Keep | undefined {
    const { onWrite, share, monotonicClock } = this.#settings
    if (onWrite === 'around') return undefined
    const times = this.#maker.times(undefined, monotonicClock())
    return keeperOf(mutations, share, (key, entry) => {
      this.#keep(new Flight(key, false), entry, times)
      if (this.#kept.peek(key) !== undefined) this.counters.writeFills++
    })
  }

  /** What is at hand. */
  #find(read: Read, call: CallOptions): ReadResult<unknown> | typeof missing {
    if (call.consistency === 'strong') return missing
    const kept = this.#kept.get(read.key)
    if (kept === undefined) return missing
    if (kept.timed || kept.copy !== undefined || read.head !== undefined || read.ifNotVersion !== undefined)
      return this.#weigh(kept, read, call)
    this.counters.hits++
    return kept.entry
  }

  /** A clock is read for entries that end at some time, and only for them. */
  #weigh(kept: Kept, read: Read, call: CallOptions): ReadResult<unknown> | typeof missing {
    if (!kept.timed) return this.#hit(kept, read)
    if (this.#isFresh(kept)) {
      if (call.consistency === undefined && this.#maker.isDue(kept)) this.#stale.ahead(kept.key)
      return this.#hit(kept, read)
    }
    this.counters.staleHits++
    return this.#stale.whileRenewed(kept, read, call) ?? missing
  }

  #hit(kept: Kept, read: Read): ReadResult<unknown> {
    this.counters.hits++
    const found = asAsked(read, kept.entry) as ReadResult<unknown>
    return found === kept.entry ? entryOf(kept) : found
  }

  #readMany(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    const found = reads.map((read) => this.#find(read, call))
    if (this.#stale.isDue) this.#stale.renew(call)
    const missed = reads.filter((_, i) => found[i] === missing)
    if (missed.length === 0) return found as ReadResult<unknown>[]
    return andThen(this.#stale.instead(missed, call, fetch(missed, call, this)), (fetched) => {
      let next = 0
      return settled(found.map((one): Found => (one === missing ? fetched[next++] : one)))
    })
  }

  #load(flights: readonly Flight[], load: LoadCall): Awaitable<readonly Answer[]> {
    const { counters } = this
    if (this.#touched !== undefined) for (const { key } of flights) this.#touched.add(key)
    counters.loads += flights.length
    if (load.consistency === 'strong') counters.bypasses += flights.length
    else if (!load.isBehind) counters.misses += flights.length
    const stale = flights.map(({ key }) => this.#revalidatable(key))
    const reads = flights.map(({ key }, i): Read => ({ key, ifNotVersion: stale[i]?.entry?.version }))
    const askedAt = this.#settings.monotonicClock()
    return andThen(
      orFailure(reads, () => this.#inner.read(reads, load)),
      (results) => {
        const times = this.#maker.times(load.loading, askedAt, true)
        return flights.map((flight, i) => this.#land(flight, results[i], stale[i], times))
      },
    )
  }

  #land(flight: Flight, result: Found, stale: Kept | undefined, times: Times): Answer {
    if (result === undefined) {
      this.#keepAbsent(flight, times)
      return { result }
    }
    if (!(result instanceof Failure)) {
      if (isEntry(result)) return this.#keep(flight, result, times)
      if (isNotModified(result) && stale !== undefined) return this.#renew(flight, result, stale, times)
    }
    this.counters.failures++
    return { result: result as StoreError | Failure }
  }

  /** The store said that the entry is still the same. */
  #renew(flight: Flight, result: NotModified, stale: Kept, times: Times): Answer {
    this.counters.revalidations++
    const entry = renewed(stale.entry as Entry<unknown>, result)
    const { copy } = stale
    const shared = { value: entry.value, copy }
    if (!flight.overtaken) this.#put(flight.key, entry, shared, stale, times)
    return { result: copy === undefined ? entry : { ...entry, value: copy(entry.value) }, shared }
  }

  /** An answer that nobody can join and that may not be kept is not even looked at. */
  #keep(flight: Flight, entry: Entry<unknown>, times: Times): Answer {
    const { key, overtaken, joined } = flight
    const mayKeep = !overtaken && entry.meta?.stale !== true
    if (mayKeep) this.#kept.delete(key)
    if (!mayKeep && !joined) return { result: entry }
    const { bytes, share } = sharable(entry.value, this.#settings)
    const size = entryBytes + stringBytes(key) + bytes
    const fits = size <= this.#settings.maxBytes
    const shared = fits || joined ? share() : undefined
    const weight = { bytes: size, cost: this.#maker.cost(size, times) }
    if (mayKeep && fits && shared !== undefined) this.#put(key, entry, shared, weight, times)
    else if (mayKeep) this.counters.refusals++
    return { result: entry, shared }
  }

  #put(key: string, entry: Entry<unknown>, shared: Shared, weight: Weight, times: Times): void {
    const { version, expiresAt } = entry
    const own = Object.freeze({ value: shared.value, version, expiresAt, meta: this.#meta })
    this.#kept.set(this.#maker.make({ key, entry: own, copy: shared.copy, weight }, times))
  }

  #keepAbsent({ key, overtaken }: Flight, times: Times): void {
    if (overtaken) return
    const bytes = entryBytes + stringBytes(key)
    if (times.absentForMs === 0 || bytes > this.#settings.maxBytes) this.#kept.delete(key)
    else {
      const weight = { bytes, cost: this.#maker.cost(bytes, times) }
      this.#kept.set(this.#maker.make({ key, entry: undefined, copy: undefined, weight }, times))
    }
  }

  #isFresh({ freshUntil, entry }: Kept): boolean {
    const { monotonicClock } = this.#settings
    if (freshUntil !== Number.POSITIVE_INFINITY && freshUntil <= monotonicClock()) return false
    return entry?.expiresAt === undefined || isLive(entry.expiresAt, this.clock())
  }

  /** The entry of this key, if the store can be asked whether it is still the same. */
  #revalidatable(key: string, revalidates: boolean = this.#revalidates): Kept | undefined {
    const kept = this.#kept.peek(key)
    return kept !== undefined && this.#canRevalidate(kept, revalidates) ? kept : undefined
  }

  #canRevalidate({ entry, freshUntil }: Kept, revalidates: boolean = this.#revalidates): boolean {
    if (!revalidates || entry?.version === undefined) return false
    const { keepForMs, monotonicClock } = this.#settings
    // An entry of unknown age, fresh until −∞, passes where entries are kept for ever.
    return !(freshUntil + keepForMs <= monotonicClock()) && isLive(entry.expiresAt, this.clock())
  }

  /** Whether an entry may ever be an answer, or spare a body. */
  #isOfUse(kept: Kept): boolean {
    return this.#isFresh(kept) || this.#canRevalidate(kept) || this.#stale.mayEverServe(kept)
  }
}
