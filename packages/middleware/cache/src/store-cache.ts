import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  isEntry,
  isLive,
  isPromise,
  isStoreError,
  isWritten,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  StoreError,
  type WriteResult,
  type Written,
} from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import { type Answer, asAsked, Failure, type Found, settled } from './answer.ts'
import type { CacheRecord } from './cache-record.ts'
import type { Counters } from './cache-stats.ts'
import { copyOf } from './copy.ts'
import { fetch, orFailure, type Ways } from './fetching.ts'
import { type Flight, Flights } from './flights.ts'
import type { LoadCall } from './load-call.ts'
import { freshEnd } from './refresh-ahead.ts'
import type { Shared } from './sharing.ts'
import type { Slot } from './slot.ts'
import { within } from './soft-timeout.ts'
import { type LoadParts, StoreLoad } from './store-loads.ts'
import type { Marks } from './tier.ts'
import type { Validator } from './validators.ts'
import { writtenEntry } from './write-through.ts'

/** What a cache in a store is made of. */
export interface StoreCacheParts extends Omit<LoadParts, 'flights'> {
  readonly inner: Pick<Store<Bytes>, 'read' | 'write'>
}

/** A cache of the bytes below it in another store. Concurrent readers of a key share one look into it, too. */
export class StoreCache implements Ways {
  readonly flights: Flights
  readonly counters: Counters
  readonly mayJoin = true
  readonly clock: () => number
  readonly #parts: StoreCacheParts
  readonly #loadParts: LoadParts

  constructor(parts: StoreCacheParts) {
    this.#parts = parts
    this.counters = parts.counters
    this.clock = parts.settings.clock
    this.flights = new Flights(
      (flights, load) => this.#load(flights, load),
      () => {},
      parts.tier.certifies,
    )
    this.#loadParts = { ...parts, flights: this.flights }
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const confirmed = await this.#confirm(reads, call)
    const rest = confirmed.size === 0 ? reads : reads.filter((read) => !confirmed.has(read))
    const fetched = rest.length === 0 ? [] : await this.#fetch(rest, call)
    this.counters.staleAnswers += fetched.filter((one) => this.#parts.freshness.isStale(one)).length
    let next = 0
    const found = reads.map((read) => (confirmed.has(read) ? confirmed.get(read) : fetched[next++]))
    return settled(found) as readonly ReadResult<Bytes>[]
  }

  /** The records are void from when the write begins, for all processes, and gone before it is acknowledged. */
  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const keys = mutations.map(({ key }) => key)
    return this.flights.write(keys, () => this.#write(mutations, keys, call))
  }

  /** A look into the cache, and for the rest the reads as they were asked. */
  async direct(reads: readonly Read[], call: CallOptions): Promise<readonly Found[]> {
    const { tier, freshness, settings } = this.#parts
    const mayLook = call.consistency !== 'strong'
    const free = reads.filter(({ key }) => mayLook && !this.flights.isWriting(key))
    const slots = await tier.find(free.map(({ key }) => key))
    const found = new Map<Read, Found>()
    for (const [i, read] of free.entries()) {
      const slot = slots[i] as Slot | Failure
      if (!(slot instanceof Failure)) {
        const answer = freshness.answer(slot.record)
        if (answer !== undefined) found.set(read, asAsked(read, answer.result))
      } else if (settings.onError === 'fail') found.set(read, slot)
    }
    const rest = reads.filter((read) => !found.has(read))
    this.counters.hits += found.size
    this.counters.misses += rest.length
    const results = rest.length === 0 ? [] : await orFailure(rest, () => this.#parts.inner.read(rest, call))
    for (const [i, read] of rest.entries()) found.set(read, results[i])
    return reads.map((read) => found.get(read))
  }

  isDirect({ head }: Read): boolean {
    return head === true
  }

  #fetch(reads: readonly Read[], call: CallOptions): Awaitable<readonly Found[]> {
    const { softTimeoutMs: ms, staleIfErrorMs, background } = this.#parts.settings
    const fetched = fetch(reads, call, this)
    const mayStand = staleIfErrorMs > 0 && ms !== Number.POSITIVE_INFINITY && call.consistency === undefined
    if (!mayStand || !isPromise(fetched)) return fetched
    return within(fetched, { ms, instead: () => this.#kept(reads), background })
  }

  /** What stands in for a source that takes its time, if there is something for each read: by a look of its own. */
  async #kept(reads: readonly Read[]): Promise<readonly Found[] | undefined> {
    const { tier, freshness } = this.#parts
    if (reads.some(({ key }) => this.flights.isWriting(key))) return undefined
    const slots = await tier.find(reads.map(({ key }) => key))
    const answers = slots.map((slot) =>
      slot instanceof Failure ? undefined : (freshness.answer(slot.record) ?? freshness.ifError(slot.record)),
    )
    return answers.every((one) => one !== undefined)
      ? answers.map(({ result }, i) => asAsked(reads[i] as Read, result))
      : undefined
  }

  /** Reads that are answered without a body, as the record is still the one that gave the version they know. */
  async #confirm(reads: readonly Read[], { consistency }: CallOptions): Promise<ReadonlyMap<Read, Found>> {
    const confirmed = new Map<Read, Found>()
    const known = new Map<Read, Validator>()
    if (consistency !== undefined) return confirmed
    for (const read of reads) {
      const validator = read.ifNotVersion === undefined ? undefined : this.#validatorOf(read)
      if (validator !== undefined) known.set(read, validator)
    }
    if (known.size === 0) return confirmed
    const asked = Array.from(known.keys())
    const slots = await this.#parts.tier.find(
      asked.map(({ key }) => key),
      asked.map((read) => known.get(read)?.recordVersion),
    )
    for (const [i, read] of asked.entries()) {
      const slot = slots[i] as Slot | Failure
      const { version, expiresAt, stamp } = known.get(read) as Validator
      if (slot instanceof Failure || slot.unchanged !== true || slot.seen?.stamp !== stamp) continue
      confirmed.set(read, {
        notModified: true,
        version,
        expiresAt,
        meta: { tier: this.#parts.settings.tier },
      })
    }
    this.counters.hits += confirmed.size
    return confirmed
  }

  /** What is known of a record that is fresh and has the version that was asked about. */
  #validatorOf({ key, ifNotVersion }: Read): Validator | undefined {
    const { validators, freshness, ahead } = this.#parts
    if (this.flights.isWriting(key)) return undefined
    const validator = validators.get(key)
    if (validator === undefined || validator.version !== ifNotVersion) return undefined
    const { freshUntil, expiresAt } = validator
    // Near the end the record is read: that may renew it ahead.
    if (ahead?.isNear(this.clock(), freshUntil) === true) return undefined
    return freshness.isFresh(freshUntil) && isLive(expiresAt, this.clock()) ? validator : undefined
  }

  async #load(flights: readonly Flight[], load: LoadCall): Promise<readonly Answer[]> {
    const answers = await new StoreLoad(this.#loadParts, load).run(flights)
    return flights.map((flight, i) => shareable(flight, answers[i] as Answer))
  }

  async #write(
    asked: readonly Mutation<Bytes>[],
    keys: readonly string[],
    call: CallOptions,
  ): Promise<readonly WriteResult[]> {
    const { tier, settings } = this.#parts
    const fills = settings.onWrite === 'through'
    const mutations = fills ? asked.map(asItIs) : asked
    const askedAt = settings.clock()
    const marking = tier.mark(keys, call, fills ? fillable(mutations) : new Set())
    if (settings.writes === 'consistent') return this.#writeMarked(mutations, await marking, call, askedAt)
    // What is marked while it is written already may not be filled: an earlier writer may have come and gone meanwhile.
    if (fills) await marking
    const { results } = await this.#sent(mutations, marking, call, askedAt, fills)
    return results
  }

  /**
   * Those keys alone are written that no process can read the former values of any more, and a write is acknowledged when it
   * is sure that none can since.
   */
  async #writeMarked(
    mutations: readonly Mutation<Bytes>[],
    marks: Marks,
    call: CallOptions,
    askedAt: number,
  ): Promise<readonly WriteResult[]> {
    const sent = mutations.filter(({ key }) => marks.has(key))
    const { results, unsure } = await this.#sent(sent, marks, call, askedAt, true)
    let next = 0
    return mutations.map(({ key }) => {
      if (!marks.has(key)) return unmarked(key)
      const result = results[next++] as WriteResult
      return isWritten(result) && unsure.has(key) ? unconfirmed(key, result) : result
    })
  }

  /** Write, and then end the marks, whatever came of it. `isLate`: the call may have ended before. */
  async #sent(
    mutations: readonly Mutation<Bytes>[],
    marking: Awaitable<Marks>,
    call: CallOptions,
    askedAt: number,
    isLate: boolean,
  ): Promise<{ readonly results: readonly WriteResult[]; readonly unsure: ReadonlySet<string> }> {
    const keys = mutations.map(({ key }) => key)
    if (keys.length === 0) return { results: [], unsure: new Set() }
    let results: readonly WriteResult[] = []
    let failure: { readonly error: unknown } | undefined
    try {
      const refusal = isLate ? endOf(call, true) : undefined
      if (refusal !== undefined) throw refusal
      results = await this.#parts.inner.write(mutations, call)
    } catch (error) {
      failure = { error }
    }
    const inDoubt = doubtful(keys, (i) => failure?.error ?? results[i])
    const unsure = await this.#unmark(mutations, results, inDoubt, await marking, askedAt)
    if (failure !== undefined) throw failure.error
    return { results, unsure }
  }

  /** The end of marks: removed, or replaced by what was written. Those of writes in doubt stand. Answers unsure keys. */
  async #unmark(
    mutations: readonly Mutation<Bytes>[],
    results: readonly WriteResult[],
    inDoubt: ReadonlySet<string>,
    marks: Marks,
    askedAt: number,
  ): Promise<ReadonlySet<string>> {
    const { tier, validators } = this.#parts
    const keys = mutations.map(({ key }) => key)
    const fills = new Map<string, CacheRecord>()
    for (const [i, mutation] of mutations.entries()) {
      const record = this.#written(mutation, results[i], marks, askedAt)
      if (record !== undefined) fills.set(mutation.key, record)
    }
    const { filled, unsure } = await tier.unmark(this.#over(keys, inDoubt, marks), marks, fills)
    for (const [key, version] of filled) validators.note(key, version, fills.get(key))
    this.counters.unmarkedWrites += unsure.size
    return unsure
  }

  /** What may be kept of a write. */
  #written(
    mutation: Mutation<Bytes>,
    result: WriteResult | undefined,
    marks: Marks,
    askedAt: number,
  ): CacheRecord | undefined {
    const { settings } = this.#parts
    if (mutation.type !== 'set' || marks.get(mutation.key)?.fills !== true) return undefined
    if (!this.flights.isWrittenAlone(mutation.key)) return undefined
    const entry = writtenEntry(mutation, mutation.value, result)
    return entry && { entry, freshUntil: freshEnd(askedAt, settings.freshForMs, settings) }
  }

  /** Marks of writes that may still take effect stand until they cannot. */
  #over(keys: readonly string[], inDoubt: ReadonlySet<string>, marks: Marks): readonly string[] {
    return keys.filter((key) => !inDoubt.has(key) || marks.get(key) === undefined)
  }
}

/** What is written and kept is the same, whatever its owner does with his bytes meanwhile. */
function asItIs(mutation: Mutation<Bytes>): Mutation<Bytes> {
  return mutation.type === 'set' ? { ...mutation, value: copyBytes(mutation.value) as Bytes } : mutation
}

function fillable(mutations: readonly Mutation<Bytes>[]): ReadonlySet<string> {
  return new Set(mutations.filter(({ type }) => type === 'set').map(({ key }) => key))
}

function doubtful(keys: readonly string[], outcome: (i: number) => unknown): ReadonlySet<string> {
  return new Set(
    keys.filter((_, i) => {
      const result = outcome(i)
      return isStoreError(result) && result.code === 'OUTCOME_UNKNOWN'
    }),
  )
}

function unmarked(key: string): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    "The cache store did not void its record of this key, so the write was not sent. Try again, or say writes: 'available'.",
    { key },
  )
}

function unconfirmed(key: string, { version }: Written): StoreError {
  return new StoreError(
    'OUTCOME_UNKNOWN',
    'The write took effect, but the cache store did not confirm that its record of this key is void: other processes may read the former value until it ends. Write again, or wait for freshForMs.',
    { key, version },
  )
}

/** Bytes that others wait for are copied before anybody has them. */
function shareable({ joined }: Flight, { result }: Answer): Answer {
  if (!joined || result instanceof Failure || !isEntry(result)) return { result }
  return { result, shared: { value: copyBytes(result.value), copy: copyBytes } satisfies Shared }
}

function copyBytes(value: unknown): unknown {
  return copyOf(value, false)
}
