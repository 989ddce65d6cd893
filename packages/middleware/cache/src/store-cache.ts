import {
  type Bytes,
  type CallOptions,
  type Entry,
  isEntry,
  isLive,
  isNotModified,
  type Mutation,
  type Read,
  type ReadMeta,
  type ReadResult,
  type Store,
  type StoreError,
  type WriteResult,
} from '@unikv/core'
import { type Answer, asAsked, Failure, type Found, renewed, settled } from './answer.ts'
import type { StoreCacheSettings } from './cache-options.ts'
import type { CacheRecord } from './cache-record.ts'
import type { Counters } from './cache-stats.ts'
import type { CacheTier } from './cache-tier.ts'
import { copyOf } from './copy.ts'
import { fetch, orFailure, type Ways } from './fetching.ts'
import { type Flight, Flights } from './flights.ts'
import type { LoadCall } from './load-call.ts'
import type { Shared } from './sharing.ts'

/** A cache of the bytes below it in another store. Concurrent readers of a key share one look into it, too. */
export class StoreCache implements Ways {
  readonly flights: Flights
  readonly counters: Counters
  readonly clock: () => number
  readonly #inner: Pick<Store<Bytes>, 'read' | 'write'>
  readonly #revalidates: boolean
  readonly #tier: CacheTier
  readonly #settings: StoreCacheSettings
  readonly #meta: ReadMeta

  constructor(
    inner: Pick<Store<Bytes>, 'read' | 'write'>,
    revalidates: boolean,
    tier: CacheTier,
    settings: StoreCacheSettings,
    counters: Counters,
  ) {
    this.#inner = inner
    this.#revalidates = revalidates
    this.#tier = tier
    this.#settings = settings
    this.counters = counters
    this.clock = settings.clock
    this.#meta = Object.freeze({ tier: settings.tier })
    this.flights = new Flights((flights, load) => this.#load(flights, load))
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    return settled(await fetch(reads, call, this)) as readonly ReadResult<Bytes>[]
  }

  /** The records are removed when the write begins, for other processes, and again before it is acknowledged. */
  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const keys = mutations.map(({ key }) => key)
    return this.flights.write(keys, async () => {
      const begun = this.#tier.invalidate(keys)
      try {
        return await this.#inner.write(mutations, call)
      } finally {
        await begun
        await this.#tier.invalidate(keys)
      }
    })
  }

  /** A look into the cache, and for the rest the reads as they were asked. */
  async direct(reads: readonly Read[], call: CallOptions): Promise<readonly Found[]> {
    const mayLook = call.consistency !== 'strong'
    const free = reads.filter(({ key }) => mayLook && !this.flights.isWriting(key))
    const records = await this.#tier.find(free.map(({ key }) => key))
    const found = new Map<Read, Found>()
    for (const [i, read] of free.entries()) {
      const answer = this.#answerFrom(records[i])
      if (answer !== undefined) found.set(read, asAsked(read, answer.result))
    }
    const rest = reads.filter((read) => !found.has(read))
    this.counters.hits += found.size
    this.counters.misses += rest.length
    const results = rest.length === 0 ? [] : await orFailure(rest, () => this.#inner.read(rest, call))
    for (const [i, read] of rest.entries()) found.set(read, results[i])
    return reads.map((read) => found.get(read))
  }

  isDirect({ head, ifNotVersion }: Read): boolean {
    return head === true || ifNotVersion !== undefined
  }

  async #load(flights: readonly Flight[], load: LoadCall): Promise<readonly Answer[]> {
    const records = await this.#find(flights, load)
    const answers = records.map((record) => this.#answerFrom(record))
    const open = flights.flatMap((flight, i) =>
      answers[i] === undefined ? [{ flight, stale: this.#revalidatable(records[i]) }] : [],
    )
    const loaded = await this.#fromBelow(open, load)
    let next = 0
    return flights.map((flight, i) => shareable(flight, answers[i] ?? (loaded[next++] as Answer)))
  }

  /** What the cache store has. Whoever asks for `'strong'`, or while the key is being written, does not look. */
  async #find(
    flights: readonly Flight[],
    { consistency }: LoadCall,
  ): Promise<readonly (CacheRecord | Failure | undefined)[]> {
    if (consistency === 'strong') {
      this.counters.bypasses += flights.length
      return flights.map(() => undefined)
    }
    const free = flights.filter(({ overtaken }) => !overtaken)
    const found = await this.#tier.find(free.map(({ key }) => key))
    const records = new Map(free.map((flight, i) => [flight, found[i]]))
    for (const flight of flights) {
      if (this.#answerFrom(records.get(flight)) === undefined) this.counters.misses++
      else this.counters.hits++
    }
    return flights.map((flight) => records.get(flight))
  }

  /** The answer that a record gives, if it is fresh. */
  #answerFrom(record: CacheRecord | Failure | undefined): Answer | undefined {
    if (record === undefined) return undefined
    if (record instanceof Failure) return { result: record }
    const now = this.clock()
    const { entry, freshUntil } = record
    // Longer than would be promised here: the clock was set back, or another process promises more.
    if (freshUntil <= now || freshUntil - now > this.#settings.freshForMs) return undefined
    if (entry === undefined) return { result: undefined }
    return isLive(entry.expiresAt, now) ? { result: { ...entry, meta: this.#meta } } : undefined
  }

  /** The entry of a record that is no longer fresh, if the store can be asked whether it is still the same. */
  #revalidatable(record: CacheRecord | Failure | undefined): Entry<Bytes> | undefined {
    if (record === undefined || record instanceof Failure || record.entry === undefined) return undefined
    this.counters.staleHits++
    const now = this.clock()
    const { entry, freshUntil } = record
    const kept = isLive(entry.expiresAt, now) && now < freshUntil + this.#settings.keepForMs
    return kept && this.#revalidates && entry.version !== undefined ? entry : undefined
  }

  /** Ask the store, and keep what it says. */
  async #fromBelow(open: readonly Open[], load: LoadCall): Promise<readonly Answer[]> {
    if (open.length === 0) return []
    this.counters.loads += open.length
    const reads = open.map(({ flight, stale }): Read => ({ key: flight.key, ifNotVersion: stale?.version }))
    const askedAt = this.clock()
    const results = await orFailure(reads, () => this.#inner.read(reads, load))
    const answers = open.map(({ stale }, i) => this.#landed(results[i], stale))
    await this.#tier.fill(
      open.flatMap(({ flight }, i) => {
        const record = this.#recordOf((answers[i] as Answer).result, askedAt, load)
        return record === undefined ? [] : [{ flight, record }]
      }),
    )
    return answers
  }

  /** What is to be kept of a result. */
  #recordOf(result: Answer['result'], askedAt: number, { loading }: LoadCall): CacheRecord | undefined {
    const absentForMs = loading?.absentForMs ?? this.#settings.absentForMs
    const freshForMs = Math.min(this.#settings.freshForMs, loading?.freshForMs ?? Number.POSITIVE_INFINITY)
    if (result === undefined)
      return absentForMs === 0 ? undefined : { entry: undefined, freshUntil: askedAt + absentForMs }
    if (result instanceof Failure || !isEntry(result) || result.meta?.stale === true) return undefined
    return { entry: result as Entry<Bytes>, freshUntil: askedAt + freshForMs }
  }

  #landed(result: ReadResult<Bytes> | Failure, stale: Entry<Bytes> | undefined): Answer {
    if (result === undefined || (!(result instanceof Failure) && isEntry(result))) return { result }
    if (!(result instanceof Failure) && isNotModified(result) && stale !== undefined) {
      this.counters.revalidations++
      return { result: { ...renewed(stale, result), meta: this.#meta } }
    }
    this.counters.failures++
    return { result: result as Failure | StoreError }
  }
}

/** A key that the cache store could not answer, with its entry if that can be revalidated. */
interface Open {
  readonly flight: Flight
  readonly stale: Entry<Bytes> | undefined
}

/** Bytes that others wait for are copied before anybody has them. */
function shareable({ joined }: Flight, { result }: Answer): Answer {
  if (!joined || result instanceof Failure || !isEntry(result)) return { result }
  return { result, shared: { value: copyBytes(result.value), copy: copyBytes } satisfies Shared }
}

function copyBytes(value: unknown): unknown {
  return copyOf(value, false)
}
