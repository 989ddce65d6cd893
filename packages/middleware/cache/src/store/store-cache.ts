import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  isEntry,
  isLive,
  isPromise,
  isStoreError,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { noteAbsent } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import { unforgotten } from '../clearing.ts'
import { type Answer, asAsked, Failure, type Found, missing, orFailure, settled } from '../loads/answer.ts'
import type { Flight } from '../loads/flight.ts'
import { Flights } from '../loads/flights.ts'
import { lastMomentMs, tooLate } from '../loads/last-moment.ts'
import { Load, type LoadingCache, type LoadSettings, renew } from '../loads/load.ts'
import type { LoadCall } from '../loads/load-call.ts'
import { isAlone, keptOnly } from '../loads/loading.ts'
import { within } from '../loads/soft-timeout.ts'
import type { Slot } from '../tier/slot.ts'
import { TierWait } from '../tier/tier-wait.ts'
import { unwritten } from '../unwritten.ts'
import { copyTree } from '../values/copy.ts'
import type { Shared } from '../values/sharing.ts'
import { type LoadParts, StoreLoad } from './store-loads.ts'
import { StoreWrite, type WriteParts } from './store-writes.ts'
import type { Validator } from './validators.ts'

/** The parts of a cache in a store. */
export interface StoreCacheParts extends Omit<LoadParts, 'flights'> {
  readonly inner: Pick<Store<Bytes>, 'read' | 'write'>
  /** Whether a batch takes effect as a whole. */
  readonly isAtomic: boolean
}

/** A stale entry that stands in for an answer of the source, if there is one. */
type Substitute = { readonly found: Found } | undefined

/** A cache of the bytes below it in another store. Concurrent readers of a key share one look into it, too. */
export class StoreCache implements LoadingCache {
  readonly flights: Flights
  readonly counters: Counters
  readonly settings: LoadSettings
  readonly mayJoin = true
  readonly #parts: StoreCacheParts
  readonly #loadParts: LoadParts
  readonly #writeParts: WriteParts

  constructor(parts: StoreCacheParts) {
    this.#parts = parts
    this.counters = parts.counters
    const { clock, joinMs, background } = parts.settings
    this.settings = { clock, joinMs, background, mayHandOut: false }
    this.flights = new Flights(() => {}, parts.tier.certifies)
    this.#loadParts = { ...parts, flights: this.flights }
    this.#writeParts = { ...parts, flights: this.flights }
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    if (isAlone(call)) return this.#parts.inner.read(reads, call)
    const confirmed = await this.#confirm(reads, call)
    const rest = confirmed.size === 0 ? reads : reads.filter((read) => !confirmed.has(read))
    const fetched = rest.length === 0 ? [] : await new Load(this, call).fetch(rest)
    this.counters.staleAnswers += fetched.filter((one) => this.#parts.freshness.isStale(one)).length
    let next = 0
    const found = reads.map((read) => (confirmed.has(read) ? confirmed.get(read) : fetched[next++]))
    return settled(found) as readonly ReadResult<Bytes>[]
  }

  /** The records are void from when the write begins, for all processes, and gone before it is acknowledged. */
  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const keys = mutations.map(({ key }) => key)
    return this.flights.write(keys, () => new StoreWrite(this.#writeParts, call).run(mutations))
  }

  /** Something else has written these keys: their records are void for all processes, and then gone. */
  async invalidate(keys: readonly string[], call: CallOptions): Promise<void> {
    const { mutations, write } = unwritten(keys)
    const settings = { ...this.#parts.settings, writes: 'consistent' as const }
    const parts = { ...this.#writeParts, settings, inner: { write } }
    const results = await this.flights.write(keys, () => new StoreWrite(parts, call).run(mutations))
    const refused = results.find(isStoreError)
    if (refused !== undefined) throw unforgotten('invalidate')
  }

  /**
   * Void all records that start with one of these, listed or not. Where that is not known to be done, this process trusts none
   * that it has not put in place since, and with `writes: 'consistent'` it is an error.
   */
  async forget(prefixes: readonly string[], call: CallOptions): Promise<void> {
    const { tier, counters, settings } = this.#parts
    this.flights.overtakeAll(prefixes)
    if (await tier.clear(prefixes, new TierWait(call))) return
    counters.unmarkedWrites++
    if (settings.writes === 'consistent') throw unforgotten()
  }

  /** A look into the cache, and for the rest the reads as they were asked. */
  async direct(reads: readonly Read[], call: CallOptions): Promise<readonly Found[]> {
    const { tier, freshness, settings } = this.#parts
    // An answer at one consistency level is not an answer at another.
    const mayLook = call.consistency === undefined || call.consistency === keptOnly
    const free = reads.filter(({ key }) => mayLook && !this.flights.isWriting(key))
    const slots = await tier.find(
      free.map(({ key }) => key),
      new TierWait(call),
    )
    const found = new Map<Read, Found>()
    for (const [i, read] of free.entries()) {
      const slot = slots[i] as Slot | Failure
      if (!(slot instanceof Failure)) {
        const answer = freshness.answer(slot.record)
        if (answer !== undefined) found.set(read, asAsked(read, answer.result))
        if (answer !== undefined && answer.result === undefined) noteAbsent(call, read.key, freshness.meta)
      } else if (settings.onError === 'fail') found.set(read, slot)
    }
    const rest = reads.filter((read) => !found.has(read))
    this.counters.hits += found.size
    this.counters.misses += rest.length
    const results = rest.length === 0 ? [] : await orFailure(rest, () => this.#parts.inner.read(rest, call))
    for (const [i, read] of rest.entries()) found.set(read, results[i])
    return reads.map((read) => found.get(read))
  }

  /** Loads look into the cache store themselves. */
  atHand(): typeof missing {
    return missing
  }

  isDirect({ head }: Read): boolean {
    return head === true
  }

  orStale(
    reads: readonly Read[],
    call: CallOptions,
    fetched: Awaitable<readonly Found[]>,
  ): Awaitable<readonly Found[]> {
    const { softTimeoutMs: ms, staleIfErrorMs, timeoutMs, background } = this.#parts.settings
    if (staleIfErrorMs === 0 || call.consistency !== undefined || !isPromise(fetched)) return fetched
    const soft = { ms, instead: async () => whole(await this.#kept(reads)), background }
    const soon = ms === Number.POSITIVE_INFINITY ? fetched : within(fetched, soft)
    const lastMs = lastMomentMs(call, timeoutMs)
    if (lastMs === Number.POSITIVE_INFINITY) return soon
    const instead = async (): Promise<readonly Found[] | undefined> => inTheEnd(await this.#kept(reads))
    return within(soon, { ms: lastMs, instead, background })
  }

  /** Substitutes for a slow source, read by read; looks into the tier by itself. */
  async #kept(reads: readonly Read[]): Promise<readonly Substitute[]> {
    const { tier, freshness } = this.#parts
    if (reads.some(({ key }) => this.flights.isWriting(key))) return []
    const slots = await tier.find(
      reads.map(({ key }) => key),
      new TierWait(),
    )
    return slots.map((slot, i) => {
      if (slot instanceof Failure) return undefined
      const answer = freshness.answer(slot.record) ?? freshness.ifError(slot.record)
      return answer && { found: asAsked(reads[i] as Read, answer.result) }
    })
  }

  /** Reads that are answered without a body, as the record is still the one that gave the version they know. */
  async #confirm(reads: readonly Read[], call: CallOptions): Promise<ReadonlyMap<Read, Found>> {
    const confirmed = new Map<Read, Found>()
    const known = new Map<Read, Validator>()
    if (call.consistency !== undefined) return confirmed
    for (const read of reads) {
      const validator = read.ifNotVersion === undefined ? undefined : this.#validatorOf(read)
      if (validator !== undefined) known.set(read, validator)
    }
    if (known.size === 0) return confirmed
    const asked = Array.from(known.keys())
    const slots = await this.#parts.tier.find(
      asked.map(({ key }) => key),
      new TierWait(call),
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

  /** Validator of a record that is fresh and has the version that the read names. */
  #validatorOf({ key, ifNotVersion }: Read): Validator | undefined {
    const { validators, freshness, ahead } = this.#parts
    if (this.flights.isWriting(key)) return undefined
    const validator = validators.get(key)
    if (validator === undefined || validator.version !== ifNotVersion) return undefined
    const { freshUntil, expiresAt } = validator
    // Near the end the record is read: that may renew it ahead.
    if (ahead?.isNear(this.settings.clock(), freshUntil) === true) return undefined
    return freshness.isFresh(freshUntil) && isLive(expiresAt, this.settings.clock()) ? validator : undefined
  }

  async fromBelow(flights: readonly Flight[], call: LoadCall): Promise<readonly Answer[]> {
    const load = new StoreLoad(this.#loadParts, call)
    const answers = await load.run(flights)
    if (load.due.reads.length > 0) renew(this, load.due, call)
    call.landed()
    return flights.map((flight, i) => shareable(flight, answers[i] as Answer))
  }
}

/** Something for each read, or nothing. */
function whole(answers: readonly Substitute[]): readonly Found[] | undefined {
  const there = answers.filter((one) => one !== undefined)
  return there.length < answers.length || there.length === 0 ? undefined : there.map(({ found }) => found)
}

/** The substitutes before the call ends, if there are any. */
function inTheEnd(answers: readonly Substitute[]): readonly Found[] | undefined {
  if (answers.every((one) => one === undefined)) return undefined
  return answers.map((one) => (one === undefined ? tooLate() : one.found))
}

/** Bytes that others wait for are copyTree before anybody has them. */
function shareable({ joined }: Flight, { result }: Answer): Answer {
  if (!joined || result instanceof Failure || !isEntry(result)) return { result }
  return { result, shared: { value: copyTree(result.value), copy: copyTree } satisfies Shared }
}
