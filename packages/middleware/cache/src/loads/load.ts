import { type Awaitable, andThen, type CallOptions, isEntry, isLive, isPromise, type Read } from '@unikv/core'
import type { Counters } from '../cache-stats.ts'
import {
  type Answer,
  alone,
  another,
  asAsked,
  Failure,
  type Found,
  isFailure,
  type MaybeFound,
  missing,
  orFailure,
} from './answer.ts'
import { Due } from './due.ts'
import type { Flight, Joined } from './flight.ts'
import type { Flights } from './flights.ts'
import { inTime, joinMsOf, late } from './join-wait.ts'
import { LoadCall } from './load-call.ts'

/** A cache, as its loads know it. */
export interface LoadingCache {
  readonly flights: Flights
  readonly counters: Counters
  readonly settings: LoadSettings
  /** Whether readers may join loads that began before they came. */
  readonly mayJoin: boolean
  /** Answer that is there at once; `due` learns whether it must be renewed. */
  atHand(read: Read, call: CallOptions, due: Due): MaybeFound
  /** Whether a read is better made as it was asked than by a load of the whole record. */
  isDirect(read: Read): boolean
  /** Read below as asked; nothing of it is shared or kept. */
  direct(reads: readonly Read[], call: CallOptions): Awaitable<readonly Found[]>
  /** Load these keys from below, and keep what may be kept. */
  fromBelow(flights: readonly Flight[], load: LoadCall): Awaitable<readonly Answer[]>
  /** The fetched answers, or stale ones where fetching failed or takes too long. */
  orStale(
    reads: readonly Read[],
    call: CallOptions,
    fetched: Awaitable<readonly Found[]>,
  ): Awaitable<readonly Found[]>
}

/** The options of a cache that decide about loads. */
export interface LoadSettings {
  /** Whether readers of one load get the same value if it can be neither frozen nor copied. */
  readonly mayHandOut: boolean
  /** Longest wait for a load that somebody else began. */
  readonly joinMs: number
  /** Wall clock in milliseconds. */
  readonly clock: () => number
  readonly background: ((work: Promise<unknown>) => unknown) | undefined
}

/**
 * The way of one call through a cache, from top to bottom: what is at hand (`find`), what was due is renewed behind the
 * answer (`renew`), and the rest is fetched (`fetch`): by joining a load that is under way (`#join`), directly (`#direct`),
 * or by a load of its own (`#own`), which asks below and comes back with what may be kept.
 */
export class Load {
  readonly #cache: LoadingCache
  readonly #call: CallOptions
  /** Entries that must be renewed. They belong to this call, as its caller may have brought its own loader. */
  readonly due: Due = new Due()
  /** The number of its caller. */
  #arrived = 0

  constructor(cache: LoadingCache, call: CallOptions) {
    this.#cache = cache
    this.#call = call
  }

  /** Answers from this tier or from below; each may fail by itself. */
  find(reads: readonly Read[]): Awaitable<readonly Found[]> {
    const found = reads.map((read) => this.#cache.atHand(read, this.#call, this.due))
    this.renew()
    const missed = reads.filter((_, i) => found[i] === missing)
    if (missed.length === 0) return found as Found[]
    return andThen(this.fetch(missed), (fetched) => {
      let next = 0
      return found.map((one): Found => (one === missing ? fetched[next++] : one))
    })
  }

  /** Load due entries again, in one call that no caller waits for. */
  renew(): void {
    if (this.due.reads.length > 0) renew(this.#cache, this.due, this.#call)
  }

  /** Answer reads that were not at hand. */
  fetch(reads: readonly Read[]): Awaitable<readonly Found[]> {
    return this.#cache.orStale(reads, this.#call, this.#fetched(reads))
  }

  #fetched(reads: readonly Read[]): Awaitable<readonly Found[]> {
    const { consistency } = this.#call
    // A level of the store: no load of another caller has it.
    if (consistency !== undefined && consistency !== 'strong') return this.#direct(reads)
    this.#arrived = this.#cache.flights.arrive()
    return reads.length === 1
      ? andThen(this.#fetchOne(reads[0] as Read), (found) => [found])
      : this.#fetchMany(reads)
  }

  #fetchMany(reads: readonly Read[]): Awaitable<readonly Found[]> {
    const found: Awaitable<Found>[] = reads.map((read) => this.#join(read))
    const rest = Array.from(reads.keys()).filter((i) => found[i] === undefined)
    const isDirect = (i: number): boolean => this.#cache.isDirect(reads[i] as Read)
    const asIs = rest.filter(isDirect)
    const whole = rest.filter((i) => !isDirect(i))
    const readsAt = (at: readonly number[]): Read[] => at.map((i) => reads[i] as Read)
    if (asIs.length > 0) place(found, asIs, this.#direct(readsAt(asIs)))
    if (whole.length > 0) place(found, whole, this.#own(readsAt(whole)))
    return found.some((one) => isPromise(one))
      ? Promise.all(found.map(async (one) => one))
      : (found as Found[])
  }

  /** `tried`: a load that it has waited for already. */
  #fetchOne(read: Read, tried?: Flight): Awaitable<Found> {
    const joined = this.#join(read, tried)
    if (joined !== undefined) return joined
    return this.#cache.isDirect(read) ? andThen(this.#direct([read]), first) : this.#ownOne(read)
  }

  /** Wait for a load that is under way, if there is one that this call may wait for. */
  #join(read: Read, tried?: Flight): Promise<Found> | undefined {
    const { flights, mayJoin, settings } = this.#cache
    if (this.#call.consistency === 'strong' || !mayJoin || flights.loadOf(read.key) === tried)
      return undefined
    const joined = flights.join(read.key, this.#call)
    if (joined === undefined) return undefined
    return inTime(joined.landing, joinMsOf(this.#call, settings.joinMs)).then((answer) =>
      answer === late ? this.#onceMore(read, joined.flight) : this.#joined(read, joined, answer),
    )
  }

  /** Without the load that has not ended in time: somebody else may have made another meanwhile. */
  #onceMore(read: Read, tried: Flight): Awaitable<Found> {
    const found = this.#cache.atHand(read, this.#call, this.due)
    this.renew()
    return found === missing ? this.#fetchOne(read, tried) : found
  }

  #joined(read: Read, { flight }: Joined, answer: Answer): Awaitable<Found> {
    const found = another(answer, this.#cache.settings.mayHandOut)
    if (found === undefined) flight.tellAbsence(this.#call)
    // It looked before this caller came. Any load under way now has looked since.
    if (this.#arrived > flight.validFor && !isFailure(found)) return this.#fetchOne(read)
    // An answer that expired on its way may have been gone when this reader came.
    if (found === alone || this.#hasExpired(found)) return this.#ownOne(read)
    // A reader that waited in vain is counted by its next step.
    this.#cache.counters.joins++
    return asAsked(read, found)
  }

  #hasExpired(found: Found): boolean {
    if (found instanceof Failure || !isEntry(found)) return false
    return found.expiresAt !== undefined && !isLive(found.expiresAt, this.#cache.settings.clock())
  }

  #ownOne(read: Read): Awaitable<Found> {
    return andThen(this.#own([read]), first)
  }

  /** A load that others may join. */
  #own(reads: readonly Read[]): Awaitable<readonly Found[]> {
    return andThen(started(this.#cache, reads, new LoadCall(this.#call)), (answers) =>
      answers.map(({ result }, i) => asAsked(reads[i] as Read, result)),
    )
  }

  #direct(reads: readonly Read[]): Awaitable<readonly Found[]> {
    return orFailure(reads, () => this.#cache.direct(reads, this.#call))
  }
}

/** Load due entries again, in one call that no caller waits for. */
export function renew(cache: LoadingCache, { reads }: Due, call: CallOptions): void {
  const work = started(cache, reads.splice(0), new LoadCall(call, true))
  if (isPromise(work)) cache.settings.background?.(work)
}

function started(cache: LoadingCache, reads: readonly Read[], call: LoadCall): Awaitable<readonly Answer[]> {
  return cache.flights.start(reads, call, (flights, load) => cache.fromBelow(flights, load))
}

function first([found]: readonly Found[]): Found {
  return found
}

function place(
  found: Awaitable<Found>[],
  at: readonly number[],
  answered: Awaitable<readonly Found[]>,
): void {
  for (const [j, i] of at.entries()) found[i] = andThen(answered, (all) => all[j])
}
