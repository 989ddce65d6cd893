import {
  type Awaitable,
  andThen,
  type CallOptions,
  type Entry,
  isEntry,
  isNotModified,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  type StoreError,
  type WriteResult,
} from '@unikv/core'
import { noteAbsent } from '@unikv/core/adapter'
import type { BusLink, BusStats } from '../bus/bus-link.ts'
import { joined } from '../bus/joined.ts'
import { told } from '../bus/told.ts'
import type { Counters } from '../cache-stats.ts'
import { type Answer, asAsked, asBrought, Failure, type Found, isAnswer, settled } from '../loads/answer.ts'
import { fetch, orFailure, type Ways } from '../loads/fetching.ts'
import { Flight, Flights, type Keep } from '../loads/flights.ts'
import type { LoadCall } from '../loads/load-call.ts'
import type { Own } from '../loads/loading.ts'
import { StaleAnswers } from '../loads/stale-answers.ts'
import { Tagging } from '../tags/tagging.ts'
import { keeperOf } from '../write-through.ts'
import { type CachedEntry, entryOf, timed, uncopied } from './cached-entry.ts'
import { Changes } from './changes.ts'
import { Entries, type EntryResidents } from './entries.ts'
import type { Times } from './entry-maker.ts'
import type { ObjectCacheSettings } from './object-cache-options.ts'
import { isPlain, isSimple } from './simple-reads.ts'
import { turnClock } from './turn-clock.ts'

const missing: unique symbol = Symbol('missing')

/**
 * A cache of what a store shows, as values in this process. While a key is being written nothing of it is kept,
 * so whatever is kept may be answered without a look at what is under way.
 */
export class ObjectCache implements Ways {
  readonly flights: Flights
  readonly counters: Counters
  readonly clock: () => number
  readonly entries: Entries
  /** What is said of keys without the store below. */
  readonly changes: Changes
  readonly #inner: Pick<Store<unknown>, 'read' | 'write'>
  readonly #settings: ObjectCacheSettings
  readonly #stale: StaleAnswers
  readonly #kept: EntryResidents
  readonly #bus: BusLink | undefined
  readonly #tagging: Tagging

  constructor(
    inner: Pick<Store<unknown>, 'read' | 'write'>,
    revalidates: boolean,
    settings: ObjectCacheSettings,
    counters: Counters,
  ) {
    this.#inner = inner
    this.#settings = settings
    this.counters = counters
    this.clock = settings.clock
    this.flights = new Flights(
      (flights, load) => this.#load(flights, load),
      (key) => this.entries.drop(key),
      settings.localTier === 'validated',
    )
    this.#tagging = new Tagging(settings.tags, this.flights, counters)
    const bus = joined(settings, {
      kept: (key) => this.#kept.peek(key),
      flights: this.flights,
      void: (tags) => this.#tagging.table.invalidate(tags),
    })
    const mayEverServe = (kept: CachedEntry): boolean => this.#stale.mayEverServe(kept)
    this.entries = new Entries({
      revalidates,
      settings,
      counters,
      bus,
      tagging: this.#tagging,
      mayEverServe,
    })
    this.#bus = bus
    this.#kept = this.entries.residents
    const { flights, entries } = this
    this.changes = new Changes({ flights, entries, bus, times: (own) => this.#times(own) })
    this.#stale = new StaleAnswers(settings, counters, this.flights, (key) => this.#kept.peek(key), bus)
  }

  /** What the bus has done, if there is one. */
  get busStats(): BusStats | undefined {
    return this.#bus?.stats()
  }

  get mayHandOut(): boolean {
    return this.#settings.mayHandOut
  }

  get joinMs(): number {
    return this.#settings.joinMs
  }

  get mayJoin(): boolean {
    return this.#bus?.mayJoin !== false
  }

  /** Forget everything, for good. */
  async close(): Promise<void> {
    await this.#bus?.leave()
    this.clear()
  }

  /** Entries and bytes now. */
  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#kept.size, bytes: this.#kept.bytes }
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    const read = reads[0] as Read
    const kept = isSimple(reads, call) ? this.#kept.get(read.key) : undefined
    // Only what a hit needs, as it would be too long to be inlined otherwise.
    if (kept === undefined || !isPlain(kept, read)) return this.#readElse(kept, reads, call)
    this.counters.hits++
    return [kept.entry]
  }

  write(mutations: readonly Mutation<unknown>[], call: CallOptions): Awaitable<readonly WriteResult[]> {
    const keys = mutations.map(({ key }) => key)
    const bus = this.#bus
    const write = (): Awaitable<readonly WriteResult[]> => this.#inner.write(mutations, call)
    const run = bus === undefined ? write : () => told(bus, mutations, call, write)
    return this.flights.write(keys, run, this.#keeperOf(mutations))
  }

  /**
   * The fresh entry of a key, `null` for one that is known to be absent. It is counted if it is a hit. `mayRenew`: whoever
   * asks can load it; if `isDue` afterwards, he is to `renew`.
   */
  hit(key: string, mayRenew = false): Entry<unknown> | null | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined || !this.#isGood(kept)) return undefined
    const entry = entryOf(kept)
    if (entry === uncopied) return this.#dropUncopied(kept)
    if (mayRenew && kept.epoch !== 0 && this.entries.maker.isDue(kept)) this.#stale.ahead(key)
    this.counters.hits++
    this.entries.used(kept)
    return entry ?? null
  }

  #isGood(kept: CachedEntry): boolean {
    if (kept.epoch === 0) return true
    return kept.epoch === timed ? kept.freshUntil > turnClock() : this.entries.isFresh(kept)
  }

  #dropUncopied({ key }: CachedEntry): undefined {
    this.counters.refusals++
    this.#kept.delete(key)
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
    const times = this.#times()
    try {
      const found = await look()
      if (flight !== undefined && found !== undefined) this.entries.keep(flight, found, times)
      return found
    } finally {
      if (flight !== undefined) this.flights.close(flight)
    }
  }

  /** The entry of a key, fresh or not, if it may be revalidated. */
  revalidatable(key: string): Entry<unknown> | undefined {
    const kept = this.entries.revalidatable(key, true)
    const entry = kept && entryOf(kept)
    return entry === uncopied ? undefined : entry
  }

  /** When something begins that begins now, in the order of invalidations. */
  get born(): number {
    return this.#tagging.table.now
  }

  /** From now on nothing is answered that was loaded with one of these tags before. Resolves when others were told. */
  async invalidateTags(tags: readonly string[]): Promise<void> {
    this.#tagging.table.invalidate(tags)
    await this.#bus?.tellTags(tags)
  }

  /** Forget everything, and keep nothing of what is under way. */
  clear(): void {
    this.flights.overtakeAll()
    this.entries.clear()
  }

  direct(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    if (call.consistency === undefined) this.counters.misses += reads.length
    else this.counters.bypasses += reads.length
    for (const { key } of reads) this.entries.touch(key)
    return andThen(this.#inner.read(reads, call), (results) => {
      for (const [i, { key }] of reads.entries())
        if (isAnswer(results[i])) this.entries.outdate(key, results[i])
      return results
    })
  }

  atHand(read: Read, call: CallOptions): { readonly found: Found } | undefined {
    const found = this.#find(read, call)
    return found === missing ? undefined : { found }
  }

  isDirect({ key, head, ifNotVersion }: Read): boolean {
    return head === true || (ifNotVersion !== undefined && this.entries.revalidatable(key) === undefined)
  }

  /** Of something that begins now. */
  #times(own?: Own, isLoad = false): Times {
    const beginning = { epoch: this.#bus?.epoch, born: this.born }
    return this.entries.maker.times(own, beginning, isLoad)
  }

  /** Keeps what was written; it is fresh from when the write began. */
  #keeperOf(mutations: readonly Mutation<unknown>[]): Keep | undefined {
    const { onWrite, share } = this.#settings
    if (onWrite === 'around') return undefined
    const times = this.#times()
    return keeperOf(mutations, share, (key, entry) => this.#keepWritten(key, entry, times))
  }

  /** The write was acknowledged, whatever code of the application fails. */
  #keepWritten(key: string, entry: Entry<unknown>, times: Times): void {
    try {
      this.entries.keep(new Flight(key, false), entry, times)
      if (this.#kept.peek(key) !== undefined) this.counters.writeFills++
    } catch {
      this.counters.refusals++
      this.#kept.delete(key)
    }
  }

  #readElse(
    kept: CachedEntry | undefined,
    reads: readonly Read[],
    call: CallOptions,
  ): Awaitable<readonly ReadResult<unknown>[]> {
    if (!isSimple(reads, call)) return this.#readMany(reads, call)
    const found = kept === undefined ? missing : this.#weigh(kept, reads[0] as Read, call)
    if (this.#stale.isDue) this.#stale.renew(call)
    if (found !== missing) return [found]
    return andThen(this.#stale.instead(reads, call, fetch(reads, call, this)), settled)
  }

  /** What is at hand. */
  #find(read: Read, call: CallOptions): ReadResult<unknown> | typeof missing {
    // A level that is named is one of the store.
    if (call.consistency !== undefined) return missing
    const kept = this.#kept.get(read.key)
    if (kept === undefined) return missing
    if (!isPlain(kept, read)) return this.#weigh(kept, read, call)
    this.counters.hits++
    return kept.entry
  }

  /** A clock is read for entries that end at some time, and only for them. */
  #weigh(kept: CachedEntry, read: Read, call: CallOptions): ReadResult<unknown> | typeof missing {
    if (kept.epoch === 0) return this.#hit(kept, read, call)
    if (kept.isVoid || this.entries.isIdle(kept)) {
      if (!kept.isVoid) this.counters.expirations++
      this.#kept.delete(kept.key, kept.isVoid ? 'removed' : 'expired')
      return missing
    }
    if (this.entries.isFresh(kept)) {
      if (this.entries.maker.isDue(kept)) this.#stale.ahead(kept.key)
      return this.#hit(kept, read, call)
    }
    this.counters.staleHits++
    if (!this.entries.isOfUse(kept)) {
      this.counters.expirations++
      this.#kept.delete(kept.key, 'expired')
    }
    return this.#stale.whileRenewed(kept, read, call) ?? missing
  }

  #hit(kept: CachedEntry, read: Read, call: CallOptions): ReadResult<unknown> | typeof missing {
    const asked = asAsked(read, kept.entry) as ReadResult<unknown>
    const found = asked === kept.entry ? entryOf(kept) : asked
    if (found === uncopied) {
      this.#dropUncopied(kept)
      return missing
    }
    this.counters.hits++
    this.entries.used(kept)
    if (found === undefined) noteAbsent(call, read.key, this.entries.meta)
    return found
  }

  #readMany(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    return andThen(this.find(reads, call), settled)
  }

  /** What is kept, or brought from below, each with a failure of its own. */
  find(reads: readonly Read[], call: CallOptions): Awaitable<readonly Found[]> {
    const found = reads.map((read) => this.#find(read, call))
    if (this.#stale.isDue) this.#stale.renew(call)
    const missed = reads.filter((_, i) => found[i] === missing)
    if (missed.length === 0) return found as Found[]
    return andThen(this.#stale.instead(missed, call, fetch(missed, call, this)), (fetched) => {
      let next = 0
      return found.map((one): Found => (one === missing ? fetched[next++] : one))
    })
  }

  #load(flights: readonly Flight[], load: LoadCall): Awaitable<readonly Answer[]> {
    const { counters } = this
    for (const { key } of flights) {
      this.entries.touch(key)
      this.changes.heard(key)
    }
    counters.loads += flights.length
    if (load.consistency === 'strong') counters.bypasses += flights.length
    else if (!load.isBehind) counters.misses += flights.length
    const stale = flights.map(({ key }) => (load.whole ? undefined : this.entries.revalidatable(key)))
    const reads = flights.map(({ key }, i): Read => ({ key, ifNotVersion: stale[i]?.entry?.version }))
    const begun = this.#times(undefined, true)
    return andThen(
      orFailure(reads, () => this.#inner.read(reads, load)),
      (results) => {
        counters.loadMs += flights.length * (this.entries.monotonicClock() - begun.askedAt)
        load.landed()
        // That a key is absent was told by a store that only stands in for the one below.
        const standIn = load.standIn?.absent === true ? { absentForMs: 0 } : undefined
        return flights.map((flight, i) => {
          const own = this.entries.maker.own(begun, load.loading?.of(flight.key))
          return this.#landSafely(flight, results[i], stale[i], standIn ? { ...own, ...standIn } : own)
        })
      },
    )
  }

  /** Where code of the application fails, such as a policy, the value is answered and not kept. */
  #landSafely(flight: Flight, result: Found, stale: CachedEntry | undefined, times: Times): Answer {
    try {
      return this.#land(flight, result, stale, times)
    } catch (error) {
      this.counters.refusals++
      this.#kept.delete(flight.key)
      return { result: result === undefined ? result : (asBrought(result) ?? new Failure(error)) }
    }
  }

  #land(flight: Flight, result: Found, stale: CachedEntry | undefined, times: Times): Answer {
    if (isAnswer(result)) {
      flight.answered()
      if (flight.followed) this.entries.outdate(flight.key, result)
    }
    if (result === undefined) {
      this.entries.keepAbsent(flight, times)
      return { result }
    }
    if (!(result instanceof Failure)) {
      if (isEntry(result)) return this.entries.keep(flight, result, times)
      if (isNotModified(result) && stale !== undefined)
        return this.entries.renew(flight, result, stale, times)
    }
    this.counters.failures++
    this.#stale.failed(flight.key, result)
    return { result: result as StoreError | Failure }
  }
}
