import type { ErrorCode, ServerStatistics, Store } from '@unikv/core'
import { isStoreError, within } from '@unikv/core/adapter'
import { AbortController } from '@unikv/core/platform'
import type { Counts } from '../counts.ts'
import type { Used } from './saturation.ts'

/** Figures of the server of a store, and how they change. */
export interface ServerFeatures {
  /** When it last answered (wall clock, in milliseconds since the epoch). */
  readonly at: number
  readonly statistics: ServerStatistics
  /** Growth of `storedBytes` over the last hour, or as long as it was watched, from a minute on; negative if it shrinks. */
  readonly growthBytesPerHour?: number | undefined
  /** Between the last two answers, of all clients of the server. */
  readonly operationsPerSecond?: number | undefined
  readonly evictionsPerSecond?: number | undefined
  /** Share of the reads between the last two answers that the server's cache answered, from 0 to 1. */
  readonly cacheHitRate?: number | undefined
  /** Why the server does not answer now, or did not ever: then `statistics` has no figures. */
  readonly error?: ErrorCode | undefined
  /** The message of this error, where who asked has it. It holds no secret. */
  readonly why?: string | undefined
}

interface Answer {
  readonly at: number
  readonly statistics: ServerStatistics
}

/** Answers that are looked back upon for the growth. */
const growthMs = 3_600_000
/** A shorter time would make much of little. */
const leastGrowthMs = 60_000
const mostAnswers = 240
/** Longest time that a server may take. */
const patienceMs = 5000

/** Asks servers for their statistics from time to time. */
export class Servers {
  readonly #counts: Counts
  readonly #everyMs: number
  readonly #clock: () => number
  readonly #seen = new Map<string, Seen>()
  readonly #end = new AbortController()
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(counts: Counts, everyMs: number, clock: () => number) {
    this.#counts = counts
    this.#everyMs = everyMs
    this.#clock = clock
  }

  /** Ask all servers of stores that were called, if it is time. Never rejects; calls `heard` once they have answered. */
  look(heard: () => void): void {
    const now = this.#clock()
    if (this.#asking !== undefined || now - this.#askedAt < this.#everyMs || this.#everyMs === Infinity)
      return
    const stores = [...this.#counts.called()].filter(([, store]) => store.statistics !== undefined)
    this.#forgetAllBut(new Map(stores))
    if (stores.length === 0) return
    this.#askedAt = now
    this.#asking = Promise.all(stores.map(([name, store]) => this.#ask(name, store))).then(() => {
      this.#asking = undefined
      if (!this.#end.signal.aborted) heard()
    })
  }

  features(): { readonly [store: string]: ServerFeatures } {
    return Object.fromEntries(Array.from(this.#seen, ([name, seen]) => [name, seen.features()]))
  }

  /** Resources of servers whose limit is known. */
  used(): readonly Used[] {
    return Array.from(this.#seen, ([store, seen]) => usedOf(store, seen.features())).flat()
  }

  /** Resolves when those that are being asked have answered. */
  async settled(): Promise<void> {
    await this.#asking
  }

  async close(): Promise<void> {
    this.#end.abort()
    await this.settled()
  }

  /** Stores that are gone tell nothing any more. */
  #forgetAllBut(stores: ReadonlyMap<string, unknown>): void {
    for (const name of this.#seen.keys()) if (!stores.has(name)) this.#seen.delete(name)
  }

  async #ask(name: string, store: Store<unknown>): Promise<void> {
    const seen = this.#seen.get(name) ?? new Seen()
    try {
      const statistics = await store.statistics?.(within(patienceMs, { signal: this.#end.signal }))
      if (statistics !== undefined) seen.answered({ at: this.#clock(), statistics })
    } catch (error) {
      const code = isStoreError(error) ? error.code : 'UNAVAILABLE'
      if (code === 'CLOSED') return void this.#seen.delete(name)
      seen.failed(this.#clock(), code)
    }
    this.#seen.set(name, seen)
  }
}

/** The answers of one server. */
class Seen {
  #answers: Answer[] = []
  #failed: { readonly at: number; readonly error: ErrorCode } | undefined

  answered(answer: Answer): void {
    this.#failed = undefined
    const recent = this.#answers.filter(({ at }) => at > answer.at - growthMs)
    // The first and the last ones matter.
    if (recent.length >= mostAnswers) recent.splice(1, 1)
    this.#answers = [...recent, answer]
  }

  failed(at: number, error: ErrorCode): void {
    this.#failed = { at, error }
  }

  features(): ServerFeatures {
    const last = this.#answers.at(-1)
    if (last === undefined) return { at: this.#failed?.at ?? 0, statistics: {}, error: this.#failed?.error }
    const [first] = this.#answers
    const before = this.#answers.at(-2)
    const error = this.#failed?.error
    const rates = before === undefined ? {} : ratesBetween(before, last)
    const growth = first === undefined ? undefined : growthBetween(first, last)
    return { ...last, ...rates, growthBytesPerHour: growth, error }
  }
}

function growthBetween(first: Answer, last: Answer): number | undefined {
  const { storedBytes: from } = first.statistics
  const { storedBytes: to } = last.statistics
  if (from === undefined || to === undefined || last.at - first.at < leastGrowthMs) return undefined
  return ((to - from) * growthMs) / (last.at - first.at)
}

/** Counters start anew with their server: then there is no rate. */
function ratesBetween(before: Answer, last: Answer): Partial<ServerFeatures> {
  const rise = (name: 'operations' | 'evictions' | 'cacheHits' | 'cacheMisses'): number | undefined => {
    const from = before.statistics[name]
    const to = last.statistics[name]
    return from === undefined || to === undefined || to < from ? undefined : to - from
  }
  const perSecond = (count: number | undefined): number | undefined =>
    count === undefined || last.at <= before.at ? undefined : (count * 1000) / (last.at - before.at)
  const hits = rise('cacheHits')
  const misses = rise('cacheMisses')
  const isRead = hits !== undefined && misses !== undefined && hits + misses > 0
  return {
    operationsPerSecond: perSecond(rise('operations')),
    evictionsPerSecond: perSecond(rise('evictions')),
    cacheHitRate: isRead ? hits / (hits + misses) : undefined,
  }
}

function usedOf(store: string, { statistics }: ServerFeatures): readonly Used[] {
  const of = (resource: Used['resource'], used: number | undefined, most: number | undefined): Used[] =>
    used === undefined || most === undefined || most <= 0 ? [] : [{ store, resource, share: used / most }]
  return [
    ...of('connections', statistics.connections, statistics.maxConnections),
    ...of('memory', statistics.memoryBytes, statistics.maxMemoryBytes),
    ...of('storage', statistics.storedBytes, statistics.maxStoredBytes),
    ...of('disk', statistics.diskUsedBytes, statistics.diskBytes),
  ]
}
