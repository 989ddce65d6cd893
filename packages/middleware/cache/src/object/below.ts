import {
  type Awaitable,
  andThen,
  type CallOptions,
  isEntry,
  isNotModified,
  type Read,
  type ReadResult,
  type Store,
  type StoreError,
} from '@unikv/core'
import { staleAbsence } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import { type Answer, asBrought, Failure, type Found, isAnswer, orFailure } from '../loads/answer.ts'
import type { Flight } from '../loads/flight.ts'
import type { LoadCall } from '../loads/load-call.ts'
import type { StaleEntries } from '../loads/stale-entries.ts'
import type { CachedEntry } from '../values/cached-entry.ts'
import type { Changes } from './changes.ts'
import type { Entries } from './entries.ts'
import type { Times } from './entry-maker.ts'

/** Parts of the way to the store below and back. */
export interface BelowParts {
  readonly inner: Pick<Store<unknown>, 'read'>
  readonly entries: Entries
  readonly stale: StaleEntries
  readonly changes: Changes
  readonly counters: Counters
  /** Times for a load that begins now. */
  readonly times: () => Times
}

/** The last part of the way of a miss: what lies below is asked, and what it answers is kept where it may be. */
export class Below {
  readonly #parts: BelowParts

  constructor(parts: BelowParts) {
    this.#parts = parts
  }

  /** As asked; nothing is kept, but what is older than the answer is dropped. */
  direct(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    const { counters, entries, inner } = this.#parts
    if (call.consistency === undefined) counters.misses += reads.length
    else counters.bypasses += reads.length
    for (const { key } of reads) entries.touch(key)
    return andThen(inner.read(reads, call), (results) => {
      for (const [i, { key }] of reads.entries()) if (isAnswer(results[i])) entries.outdate(key, results[i])
      return results
    })
  }

  /** Load these keys: what is kept of a key and has a version is asked for as *not modified*. */
  load(flights: readonly Flight[], load: LoadCall): Awaitable<readonly Answer[]> {
    const { entries, inner, times } = this.#parts
    this.#begin(flights, load)
    const stale = flights.map(({ key }) => (load.whole ? undefined : entries.revalidatable(key)))
    const reads = flights.map(({ key }, i): Read => ({ key, ifNotVersion: stale[i]?.entry?.version }))
    const begun = times()
    return andThen(
      orFailure(reads, () => inner.read(reads, load)),
      (results) => {
        this.#parts.counters.loadMs += flights.length * (entries.monotonicClock() - begun.askedAt)
        load.landed()
        return flights.map((flight, i) =>
          this.#landSafely(flight, results[i], stale[i], this.#timesOf(flight, load, begun)),
        )
      },
    )
  }

  #begin(flights: readonly Flight[], load: LoadCall): void {
    const { counters, entries, changes } = this.#parts
    for (const { key } of flights) {
      entries.touch(key)
      changes.heard(key)
    }
    counters.loads += flights.length
    if (load.consistency === 'strong') counters.bypasses += flights.length
    else if (!load.isBehind) counters.misses += flights.length
  }

  #timesOf({ key }: Flight, load: LoadCall, begun: Times): Times {
    const own = this.#parts.entries.maker.own(begun, load.loading?.of(key))
    return staleAbsence.of(load.told) ? { ...own, absentForMs: 0 } : own
  }

  /** Where code of the application fails, such as a policy, the value is answered and not kept. */
  #landSafely(flight: Flight, result: Found, stale: CachedEntry | undefined, times: Times): Answer {
    try {
      return this.#land(flight, result, stale, times)
    } catch (error) {
      this.#parts.counters.refusals++
      this.#parts.entries.residents.delete(flight.key)
      return { result: result === undefined ? result : (asBrought(result) ?? new Failure(error)) }
    }
  }

  #land(flight: Flight, result: Found, stale: CachedEntry | undefined, times: Times): Answer {
    const { entries, counters } = this.#parts
    if (isAnswer(result)) {
      flight.answered()
      if (flight.followed) entries.outdate(flight.key, result)
    }
    if (result === undefined) {
      entries.keepAbsent(flight, times)
      return { result }
    }
    if (!(result instanceof Failure)) {
      if (isEntry(result)) return entries.keep(flight, result, times)
      if (isNotModified(result) && stale !== undefined) return entries.renew(flight, result, stale, times)
    }
    counters.failures++
    this.#parts.stale.failed(flight.key, result)
    return { result: result as StoreError | Failure }
  }
}
