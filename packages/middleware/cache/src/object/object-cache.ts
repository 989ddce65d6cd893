import {
  type Awaitable,
  andThen,
  type CallOptions,
  type Entry,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  type WriteResult,
} from '@unikv/core'
import type { BusLink, BusStats } from '../bus/bus-link.ts'
import { joined } from '../bus/joined.ts'
import { told } from '../bus/told.ts'
import type { Counters } from '../cache-stats.ts'
import { type Answer, type Found, type MaybeFound, missing, settled } from '../loads/answer.ts'
import type { Due } from '../loads/due.ts'
import { Flight } from '../loads/flight.ts'
import { Flights } from '../loads/flights.ts'
import { Load, type LoadingCache, renew } from '../loads/load.ts'
import type { LoadCall } from '../loads/load-call.ts'
import { isAlone, type Own } from '../loads/loading.ts'
import { StaleEntries } from '../loads/stale-entries.ts'
import { StandIns } from '../loads/stand-ins.ts'
import type { Keep } from '../loads/writes-under-way.ts'
import type { ObjectCacheSettings } from '../object-cache-options.ts'
import { Tagging } from '../tags/tagging.ts'
import { type CachedEntry, entryOf, uncopied } from '../values/cached-entry.ts'
import { keeperOf } from '../write-through.ts'
import { Below } from './below.ts'
import { Changes } from './changes.ts'
import { Entries, type EntryResidents } from './entries.ts'
import type { Times } from './entry-maker.ts'
import { Lookup } from './lookup.ts'
import { isPlain, isSimple } from './simple-reads.ts'

/**
 * A cache of what a store shows, as values in this process. While a key is being written nothing of it is kept,
 * so an entry may be answered without a look at what is under way. The way of a miss is a `Load`.
 */
export class ObjectCache implements LoadingCache {
  readonly flights: Flights
  readonly counters: Counters
  readonly settings: ObjectCacheSettings
  readonly entries: Entries
  /** Changes that do not go through the store below. */
  readonly changes: Changes
  readonly #inner: Pick<Store<unknown>, 'read' | 'write'>
  readonly #kept: EntryResidents
  readonly #lookup: Lookup
  readonly #below: Below
  readonly #standIns: StandIns
  readonly #bus: BusLink | undefined
  readonly #tagging: Tagging

  constructor(
    inner: Pick<Store<unknown>, 'read' | 'write'>,
    revalidates: boolean,
    settings: ObjectCacheSettings,
    counters: Counters,
  ) {
    this.#inner = inner
    this.settings = settings
    this.counters = counters
    const flights = new Flights((key) => this.entries.drop(key), settings.localTier === 'validated')
    this.flights = flights
    this.#tagging = new Tagging(settings.tags, flights, counters)
    const peek = (key: string): CachedEntry | undefined => this.#kept.peek(key)
    const bus = joined(settings, {
      kept: peek,
      flights,
      void: (tags) => this.#tagging.table.invalidate(tags),
    })
    this.#bus = bus
    const stale = new StaleEntries({ settings, counters, flights, peek, bus })
    const mayEverServe = (kept: CachedEntry): boolean => stale.mayEverServe(kept)
    const entries = new Entries({
      revalidates,
      settings,
      counters,
      bus,
      tagging: this.#tagging,
      mayEverServe,
    })
    this.entries = entries
    this.#kept = entries.residents
    this.changes = new Changes({ flights, entries, bus, times: (own) => this.#times(own) })
    this.#lookup = new Lookup(entries, stale, counters)
    const times = (): Times => this.#times(undefined, true)
    this.#below = new Below({ inner, entries, stale, changes: this.changes, counters, times })
    this.#standIns = new StandIns(settings, stale)
  }

  /** Figures of the bus, if there is one. */
  get busStats(): BusStats | undefined {
    return this.#bus?.stats()
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

  #readElse(
    kept: CachedEntry | undefined,
    reads: readonly Read[],
    call: CallOptions,
  ): Awaitable<readonly ReadResult<unknown>[]> {
    if (isAlone(call)) return this.#inner.read(reads, call)
    const load = new Load(this, call)
    if (!isSimple(reads, call)) return andThen(load.find(reads), settled)
    const found = kept === undefined ? missing : this.#lookup.weigh(kept, reads[0] as Read, call, load.due)
    load.renew()
    return found === missing ? andThen(load.fetch(reads), settled) : [found]
  }

  /** Answers from this tier or from below; each may fail by itself. */
  find(reads: readonly Read[], call: CallOptions): Awaitable<readonly Found[]> {
    return new Load(this, call).find(reads)
  }

  /**
   * The fresh entry of a key, `null` for one that is known to be absent. It is counted if it is a hit. `due`, of a caller who
   * can load the key, is told whether it must be renewed.
   */
  hit(key: string, due?: Due): Entry<unknown> | null | undefined {
    return this.#lookup.fresh(key, due)
  }

  /** As `hit`, for a caller who loads nothing where it misses. */
  glance(key: string): Entry<unknown> | null | undefined {
    const entry = this.#lookup.fresh(key)
    if (entry !== undefined) return entry
    this.counters.misses++
    this.#lookup.missed(key)
    return undefined
  }

  /** Load due entries, in one call that no caller waits for. */
  renew(due: Due, call: CallOptions): void {
    renew(this, due, call)
  }

  write(mutations: readonly Mutation<unknown>[], call: CallOptions): Awaitable<readonly WriteResult[]> {
    const keys = mutations.map(({ key }) => key)
    const bus = this.#bus
    const write = (): Awaitable<readonly WriteResult[]> => this.#inner.write(mutations, call)
    const run = bus === undefined ? write : () => told(bus, mutations, call, write)
    return this.flights.write(keys, run, this.#keeperOf(mutations))
  }

  /** Result of `look` below for a key. No other caller shares it; it is kept unless the key changes meanwhile. */
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

  // The steps of a load.

  atHand(read: Read, call: CallOptions, due: Due): MaybeFound {
    return this.#lookup.find(read, call, due)
  }

  isDirect({ key, head, ifNotVersion }: Read): boolean {
    return head === true || (ifNotVersion !== undefined && this.entries.revalidatable(key) === undefined)
  }

  direct(reads: readonly Read[], call: CallOptions): Awaitable<readonly Found[]> {
    return this.#below.direct(reads, call)
  }

  fromBelow(flights: readonly Flight[], load: LoadCall): Awaitable<readonly Answer[]> {
    return this.#below.load(flights, load)
  }

  orStale(
    reads: readonly Read[],
    call: CallOptions,
    fetched: Awaitable<readonly Found[]>,
  ): Awaitable<readonly Found[]> {
    return this.#standIns.instead(reads, call, fetched)
  }

  /** Times for a call that begins now. */
  #times(own?: Own, isLoad = false): Times {
    const beginning = { epoch: this.#bus?.epoch, born: this.born }
    return this.entries.maker.times(own, beginning, isLoad)
  }

  /** Keeps what was written; it is fresh from when the write began. */
  #keeperOf(mutations: readonly Mutation<unknown>[]): Keep | undefined {
    const { onWrite } = this.settings
    if (onWrite === 'around') return undefined
    const times = this.#times()
    return keeperOf(mutations, this.settings, (key, entry) => this.#keepWritten(key, entry, times))
  }

  /** The write was acknowledged, even if code of the application fails. */
  #keepWritten(key: string, entry: Entry<unknown>, times: Times): void {
    try {
      this.entries.keep(new Flight(key, false), entry, times)
      if (this.#kept.peek(key) !== undefined) this.counters.writeFills++
    } catch {
      this.counters.refusals++
      this.#kept.delete(key)
    }
  }
}
