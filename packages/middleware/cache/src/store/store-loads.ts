import {
  type Bytes,
  type Entry,
  isEntry,
  isNotModified,
  type Read,
  type ReadResult,
  type Store,
  type StoreError,
} from '@unikv/core'
import { noteAbsent, staleAbsence } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import { type Answer, Failure, isFailure, orFailure, renewed } from '../loads/answer.ts'
import { Due } from '../loads/due.ts'
import type { Flight } from '../loads/flight.ts'
import type { Flights } from '../loads/flights.ts'
import { LoadCall } from '../loads/load-call.ts'
import { freshEnd, type RefreshAhead } from '../loads/refresh-ahead.ts'
import { isTransient } from '../loads/stale-entries.ts'
import type { StoreCacheSettings } from '../store-cache-options.ts'
import type { CacheRecord } from '../tier/cache-record.ts'
import { isOn } from '../tier/leased-tier.ts'
import { type Slot, untouched } from '../tier/slot.ts'
import type { Claim, Claimed, Fill, Tier, Wanted } from '../tier/tier.ts'
import { TierWait } from '../tier/tier-wait.ts'
import type { Freshness } from './freshness.ts'
import { LeaseWait } from './lease-wait.ts'
import type { Validators } from './validators.ts'

/** Shared parts of the loads of a cache in a store. */
export interface LoadParts {
  readonly inner: Pick<Store<Bytes>, 'read'>
  /** Whether the source can be asked if a version is still the same. */
  readonly revalidates: boolean
  readonly tier: Tier
  readonly freshness: Freshness
  readonly validators: Validators
  readonly ahead: RefreshAhead | undefined
  readonly flights: Flights
  readonly settings: StoreCacheSettings
  readonly counters: Counters
}

/** A key on its way to the source, with or without the right to fill. */
interface Open {
  readonly wanted: Wanted
  readonly claim: Claim | undefined
}

/** One load of some keys: from the cache store, from another load in progress, or from the source. */
export class StoreLoad {
  readonly #parts: LoadParts
  readonly #load: LoadCall
  readonly #wait: TierWait
  readonly #isStrong: boolean
  /** True for a background refresh: no caller receives the answers. */
  #isAside = false
  readonly #answers = new Map<Flight, Answer>()
  readonly #underWay: Promise<void>[] = []
  /** Keys whose stale entries were the answer: the runner of this load starts a background load for them. */
  readonly due: Due = new Due()
  /** Keys that must be renewed although their entries are fresh. */
  readonly #ahead: Wanted[] = []
  #aheadLoad: LoadCall | undefined

  constructor(parts: LoadParts, load: LoadCall) {
    this.#parts = parts
    this.#load = load
    this.#wait = new TierWait(load.awaited)
    this.#isStrong = load.consistency === 'strong'
  }

  async run(flights: readonly Flight[]): Promise<readonly Answer[]> {
    if (this.#isStrong) this.#parts.counters.bypasses += flights.length
    let held = await this.#round(flights, true)
    const leaseWait = new LeaseWait(this.#load, this.#parts.settings.leaseWaitMs)
    while (held.length > 0) {
      const flightsHeld = held.map(({ wanted: { flight } }) => flight)
      if (!(await leaseWait.pause())) {
        this.#depart(held)
        break
      }
      held = await this.#round(flightsHeld, false)
    }
    await Promise.all(this.#underWay)
    this.#renewAhead()
    return flights.map((flight) => this.#answers.get(flight) as Answer)
  }

  /** Answer what can be, claim and load what is free, and give back what others hold. */
  async #round(flights: readonly Flight[], isFirst: boolean): Promise<readonly Open[]> {
    const { tier, counters } = this.#parts
    const slots = await this.#find(flights)
    const free: Wanted[] = []
    const open: Open[] = []
    const held: Open[] = []
    for (const [i, flight] of flights.entries()) {
      const slot = slots[i] as Slot | Failure
      const answer = this.#answerOf(flight, slot)
      if (isFirst && !this.#isStrong) this.#count(answer !== undefined, slot)
      if (answer !== undefined) {
        this.#answers.set(flight, answer)
        continue
      }
      const wanted = this.#wanted(flight, slot)
      const holder = this.#holderOf(wanted)
      if (holder === 'reader') held.push({ wanted, claim: undefined })
      else if (holder === 'writer' || flight.overtaken) open.push({ wanted, claim: undefined })
      else free.push(wanted)
    }
    const claims = await tier.claim(free, this.#load, this.#wait)
    for (const [i, wanted] of free.entries()) {
      const claim = claims[i]
      if (claim === 'held') held.push({ wanted, claim: undefined })
      else open.push({ wanted, claim })
    }
    if (isFirst) counters.leaseWaits += held.length
    this.#depart(open)
    return held
  }

  /** Keys that are being written are not looked up. */
  async #find(flights: readonly Flight[]): Promise<readonly (Slot | Failure)[]> {
    const free = flights.filter(({ overtaken }) => !overtaken)
    const slots = await this.#parts.tier.find(
      free.map(({ key }) => key),
      this.#wait,
    )
    const found = new Map(free.map((flight, i) => [flight, slots[i] as Slot | Failure]))
    return flights.map((flight) => found.get(flight) ?? untouched)
  }

  #answerOf(flight: Flight, slot: Slot | Failure): Answer | undefined {
    const { freshness, validators, settings } = this.#parts
    if (this.#isStrong) return undefined
    if (slot instanceof Failure) return settings.onError === 'fail' ? { result: slot } : undefined
    const { record, version } = slot
    const fresh = freshness.answer(record)
    if (fresh !== undefined) {
      validators.note(flight.key, version, record)
      if (fresh.result === undefined) noteAbsent(this.#load, flight.key, freshness.meta)
      this.#considerAhead(flight.key, slot)
      return fresh
    }
    const stale = this.#load.isBehind ? undefined : freshness.whileRenewed(record)
    if (stale !== undefined) this.due.add(flight.key)
    return stale
  }

  #count(isHit: boolean, slot: Slot | Failure): void {
    const { counters, freshness } = this.#parts
    if (isHit) counters.hits++
    else if (!this.#load.isBehind) counters.misses++
    if (isHit || slot instanceof Failure || slot.record?.entry === undefined) return
    counters.staleHits++
    if (freshness.kept(slot.record) === undefined) counters.expirations++
  }

  #wanted(flight: Flight, slot: Slot | Failure): Wanted {
    if (slot instanceof Failure) return { flight, slot: untouched, former: undefined }
    const { record } = slot
    if (this.#parts.freshness.kept(record) === undefined) return { flight, slot, former: undefined }
    return { flight, slot, former: this.#isVoidingLease(slot) ? this.#parts.freshness.ended(record) : record }
  }

  /** Another process is about to replace or remove the record. A `'strong'` read voids the leases of others. */
  #holderOf({ slot: { record } }: Wanted): 'reader' | 'writer' | undefined {
    const hold = record?.hold
    if (!isOn(hold, this.#parts.settings.clock())) return undefined
    return hold.by === 'reader' && this.#isStrong ? undefined : hold.by
  }

  /** Its holder may have told a reader something newer, which is not kept now: so what is there is not fresh any more. */
  #isVoidingLease({ record }: Slot): boolean {
    return this.#isStrong && isOn(record?.hold, this.#parts.settings.clock())
  }

  #depart(open: readonly Open[]): void {
    if (open.length > 0) this.#underWay.push(this.#fromBelow(open))
  }

  /** Ask the source, and keep what it says of keys that were claimed. */
  async #fromBelow(open: readonly Open[]): Promise<void> {
    const { inner, revalidates, settings, counters, ahead } = this.#parts
    counters.loads += open.length
    const stale = open.map(({ wanted: { former } }) =>
      revalidates && !this.#load.whole && former?.entry?.version !== undefined ? former.entry : undefined,
    )
    const reads = open.map(
      ({ wanted }, i): Read => ({
        key: wanted.flight.key,
        ifNotVersion: stale[i]?.version,
      }),
    )
    const askedAt = settings.clock()
    const startedAt = settings.monotonicClock()
    const results = await orFailure(reads, () => inner.read(reads, this.#load))
    const tookMs = settings.monotonicClock() - startedAt
    counters.loadMs += open.length * tookMs
    ahead?.measured(tookMs)
    const landed = open.map((_, i) => this.#landed(results[i], stale[i]))
    for (const [i, { wanted }] of open.entries())
      this.#answers.set(wanted.flight, this.#orStale(landed[i] as Answer, wanted))
    const kept = this.#keep(open, landed, askedAt)
    const isAwaited = open.some(({ wanted }) => wanted.flight.joined)
    if (settings.background === undefined || isAwaited) await kept
    else settings.background(kept)
  }

  /**
   * Put in place what may be kept. A lease that is still good when it is used shows that no write came: so the answer
   * serves all earlier callers, too; but it says nothing of tags.
   */
  async #keep(open: readonly Open[], landed: readonly Answer[], askedAt: number): Promise<void> {
    const { tier, validators, flights } = this.#parts
    const fills: Fill[] = []
    const unused: Claimed[] = []
    const failed: Claimed[] = []
    for (const [i, { wanted, claim }] of open.entries()) {
      if (claim === undefined) continue
      const { result } = landed[i] as Answer
      if (!isFailure(result)) wanted.flight.answered()
      const kept = this.#recordOf(wanted.flight.key, result, askedAt)
      const { stamp } = claim
      const record = kept === undefined || stamp === undefined ? kept : { ...kept, stamp }
      if (record !== undefined) fills.push({ flight: wanted.flight, claim, record })
      else if (isFailure(result)) failed.push({ wanted, claim })
      // A removed record is not put back.
      else unused.push({ wanted: result === undefined ? { ...wanted, former: undefined } : wanted, claim })
    }
    // A caller that arrives meanwhile must not get a failure from before its arrival.
    if (failed.length > 0) void tier.release(failed, this.#wait)
    const { arrivals } = flights
    const filled = fills.length === 0 ? undefined : tier.fill(fills, this.#wait)
    const released = unused.length === 0 ? undefined : tier.release(unused, this.#wait)
    const versions = await filled
    const wereGood = await released
    for (const [i, { flight, record }] of fills.entries()) {
      const version = versions?.[i]
      validators.note(flight.key, version, record)
      if (version !== undefined && record.stamp === undefined) flight.validFor = arrivals
    }
    for (const [i, { wanted, claim }] of unused.entries())
      if (wereGood?.[i] === true && claim.stamp === undefined) wanted.flight.validFor = arrivals
  }

  /** The part of a result to keep. */
  #recordOf(key: string, result: Answer['result'], askedAt: number): CacheRecord | undefined {
    const { settings } = this.#parts
    const own = this.#load.loading?.of(key)
    const longestMs = Math.max(settings.absentForMs, settings.freshForMs)
    const absentForMs = Math.min(longestMs, own?.absentForMs ?? settings.absentForMs)
    const freshForMs = Math.min(settings.freshForMs, own?.freshForMs ?? Number.POSITIVE_INFINITY)
    if (result === undefined)
      return absentForMs === 0 || staleAbsence.of(this.#load.told) !== undefined
        ? undefined
        : { entry: undefined, freshUntil: freshEnd(askedAt, absentForMs, settings) }
    if (result instanceof Failure || !isEntry(result) || result.meta?.stale === true) return undefined
    return { entry: result as Entry<Bytes>, freshUntil: freshEnd(askedAt, freshForMs, settings) }
  }

  #landed(result: ReadResult<Bytes> | Failure, stale: Entry<Bytes> | undefined): Answer {
    const { counters } = this.#parts
    if (result === undefined || (!(result instanceof Failure) && isEntry(result))) return { result }
    if (!(result instanceof Failure) && isNotModified(result) && stale !== undefined) {
      // A cache below may say so of a stale entry of its own, which is not a confirmation.
      if (result.meta?.stale !== true) counters.revalidations++
      // The store that was asked has answered it, and not this tier.
      return { result: { ...renewed(stale, result), meta: result.meta } }
    }
    counters.failures++
    return { result: result as Failure | StoreError }
  }

  /** Where the source fails for a while, a stale entry may stand in. */
  #orStale(answer: Answer, { former }: Wanted): Answer {
    const { freshness } = this.#parts
    if (this.#isStrong || this.#isAside || !isTransient(answer.result)) return answer
    return freshness.ifError(former) ?? answer
  }

  /** Let a fresh entry be renewed if chance says so, and no renewal is under way. */
  #considerAhead(key: string, slot: Slot): void {
    const { ahead, settings, flights, counters } = this.#parts
    const { record } = slot
    const now = settings.clock()
    if (ahead === undefined || record?.entry === undefined || isOn(record.hold, now)) return
    if (!ahead.isDue(now, record.freshUntil)) return
    const flight = flights.openAside(key, this.#loadAhead)
    if (flight === undefined) return
    counters.refreshes++
    this.#ahead.push({ flight, slot, former: record })
  }

  get #loadAhead(): LoadCall {
    this.#aheadLoad ??= new LoadCall(this.#load, true)
    return this.#aheadLoad
  }

  /** Load entries ahead of their end, in a call that no caller waits for. */
  #renewAhead(): void {
    if (this.#ahead.length === 0) return
    this.#parts.settings.background?.(new StoreLoad(this.#parts, this.#loadAhead).refresh(this.#ahead))
  }

  /** Load what is answered from fresh records meanwhile: a lease leaves them readable. Without a lease, do nothing. */
  async refresh(wanted: readonly Wanted[]): Promise<void> {
    const { tier, flights } = this.#parts
    this.#isAside = true
    try {
      const claims = await tier.claim(wanted, this.#load, this.#wait)
      const open = wanted.flatMap((one, i): Open | readonly [] => {
        const claim = claims[i]
        return claim === undefined || claim === 'held' ? [] : { wanted: one, claim }
      })
      if (open.length > 0) await this.#fromBelow(open)
    } finally {
      for (const { flight } of wanted) flights.closeAside(flight)
    }
  }
}
