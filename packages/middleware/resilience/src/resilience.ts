import {
  type Awaitable,
  andThen,
  areAtHand,
  type CallOptions,
  type Found,
  isPromise,
  isStoreError,
  type Mutation,
  type Page,
  type Pages,
  type PassThrough,
  passThrough,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  type StoreError,
  type StoreQuery,
  type Verbs,
  type WriteResult,
} from '@unikv/core'
import { deedOf, mayRetry } from '@unikv/core/adapter'
import { Gate } from './gate.ts'
import { Hedges } from './hedges.ts'
import { type BreakerState, type ResilienceOptions, type ResilienceSettings, settingsOf } from './options.ts'
import { Retries, type Verb } from './retries.ts'

/** A layer, and the handle to what it does. */
export interface Resilience extends PassThrough {
  /** One for each open stack that the layer is in. */
  stats(): readonly ResilienceStats[]
}

/** Statistics of the layer in one stack since its start, and its state now. */
export interface ResilienceStats {
  /** Name of the store below. */
  readonly store: string
  readonly retries: number
  /** Writes of unknown outcome that were read back, and of them those that were found. */
  readonly readBacks: number
  readonly readBacksFound: number
  /** Second reads, and of them those that answered first. */
  readonly hedges: number
  readonly hedgesWon: number
  readonly refusedByBreaker: number
  readonly refusedByConcurrency: number
  readonly breaker: BreakerState
  /** Requests under way, and calls that wait for a place. */
  readonly underWay: number
  readonly queued: number
}

/**
 * Try again what may be tried again, fail fast while the store fails, bound the calls under way, and read a second
 * time where asked. Place it next to the store. One table for the whole library says what may be tried again
 * (`docs/reference/outcomes.md`); a conditional set of unknown outcome is looked up by the version of its attempt.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function resilience(options: ResilienceOptions = {}): Resilience {
  const settings = settingsOf(options)
  const guards = new Set<Guard>()
  const { name, plan } = passThrough('resilience', {
    wrap: (inner) => {
      const guard = new Guard(inner, settings, () => guards.delete(guard))
      guards.add(guard)
      return guard.verbs()
    },
  })
  return Object.freeze({ name, plan, stats: () => Array.from(guards, (guard) => guard.stats()) })
}

/** One store under the layer. */
class Guard {
  readonly #inner: Store<unknown>
  /** Told when the stack is closed. */
  readonly #closed: () => void
  readonly #settings: ResilienceSettings
  readonly #gate: Gate
  readonly #retries: Retries
  readonly #hedges: Hedges | undefined
  readonly #reading: Verb<Read, ReadResult<unknown>>
  readonly #writing: Verb<Mutation<unknown>, WriteResult>
  #readBacks = 0
  #readBacksFound = 0

  constructor(inner: Store<unknown>, settings: ResilienceSettings, closed: () => void) {
    this.#inner = inner
    this.#closed = closed
    this.#settings = settings
    this.#gate = new Gate(settings, inner.name)
    this.#retries = new Retries(settings, this.#gate)
    this.#hedges = settings.hedge && new Hedges(settings.hedge, settings.now)
    this.#reading = { name: 'read', ask: (reads, call) => this.#ask(reads, call), deedOf: () => 'read' }
    this.#writing = { name: 'write', ask: (mutations, call) => inner.write(mutations, call), deedOf }
  }

  verbs(): Verbs {
    const { find } = this.#inner
    return {
      ...(find !== undefined && { find: this.#finding(find) }),
      read: (reads, call) => this.#retries.run(this.#reading, reads, call),
      write: (mutations, call) => {
        const results = this.#retries.run(this.#writing, mutations, call)
        if (!mutations.some(isLookedUp)) return results
        return areAtHand(results) ? results : this.#lookUp(mutations, results, call)
      },
      scan: (range, call) => this.#scan(range, call),
      close: () => {
        this.#retries.sleepers.close()
        this.#closed()
        return this.#inner.close()
      },
    }
  }

  stats(): ResilienceStats {
    const gate = this.#gate
    return {
      store: this.#inner.name,
      retries: this.#retries.count,
      readBacks: this.#readBacks,
      readBacksFound: this.#readBacksFound,
      hedges: this.#hedges?.sent ?? 0,
      hedgesWon: this.#hedges?.won ?? 0,
      refusedByBreaker: gate.refusedByBreaker,
      refusedByConcurrency: gate.refusedByConcurrency,
      breaker: gate.state,
      underWay: gate.underWay,
      queued: gate.queued,
    }
  }

  #ask(reads: readonly Read[], call: CallOptions): ReturnType<Store<unknown>['read']> {
    const ask = (items: readonly Read[], one: CallOptions): ReturnType<Store<unknown>['read']> =>
      this.#inner.read(items, one)
    if (this.#hedges === undefined) return ask(reads, call)
    return this.#hedges.read(reads, call, ask, {
      mayAsk: () => this.#gate.isOpen,
      ask: (items, one) => this.#gate.pass(one, () => ask(items, one)),
      asked: () => this.#settings.onEvent({ type: 'hedge' }),
    })
  }

  /** Ask the store what became of conditional sets whose answers were lost: their version tells. */
  async #lookUp(
    mutations: readonly Mutation<unknown>[],
    answer: Promise<readonly WriteResult[]>,
    call: CallOptions,
  ): Promise<readonly WriteResult[]> {
    const results = await answer.catch((error: unknown) => {
      if (!isUnknown(error) || mutations.length !== 1) throw error
      return [error]
    })
    const unsure = mutations.filter((mutation, i) => isLookedUp(mutation) && isUnknown(results[i]))
    if (unsure.length === 0 || call.settled === true || this.#settings.now() >= call.deadlineAt)
      return results
    const found = await this.#versions(unsure, call)
    return results.map((result, i) => {
      const { key, version } = mutations[i] as Mutation<unknown>
      return isUnknown(result) && found.get(key) === version ? { version } : result
    })
  }

  async #versions(
    unsure: readonly Mutation<unknown>[],
    call: CallOptions,
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const { consistency } = this.#inner.capabilities
    const strong = consistency.includes('strong') ? 'strong' : call.consistency
    const { deadlineAt, signal } = call
    const reads = unsure.map(({ key }) => ({ key, head: true }))
    this.#readBacks += reads.length
    try {
      const found = await this.#retries.run(this.#reading, reads, { deadlineAt, signal, consistency: strong })
      const versions = found.map((one) => (one === undefined || isStoreError(one) ? undefined : one.version))
      const wins = versions.filter((version, i) => version === unsure[i]?.version).length
      this.#readBacksFound += wins
      this.#settings.onEvent({ type: 'read back', found: wins > 0 })
      return new Map(unsure.map(({ key }, i) => [key, versions[i]]))
    } catch {
      // An unknown outcome stays unknown.
      return new Map()
    }
  }

  /** A query changes nothing: it is tried again as a read is. */
  #finding(find: NonNullable<Store<unknown>['find']>): NonNullable<Verbs['find']> {
    const verb: Verb<StoreQuery, Found<unknown> | StoreError> = {
      name: 'read',
      ask: ([query], call) => andThen(find(query as StoreQuery, call), (found) => [found]),
      deedOf: () => 'read',
    }
    return (query, call) =>
      andThen(this.#retries.run(verb, [query], call), ([found]) => {
        if (isStoreError(found)) throw found
        return found as Found<unknown>
      })
  }

  #scan(range: ScanRange, call: CallOptions): Pages<unknown> {
    const pages = this.#inner.scan(range, call)
    return Symbol.iterator in pages ? this.#atOnce(pages, call) : this.#resumed(pages, range, call)
  }

  /** Pages of a store that has them at hand. One that is a promise nevertheless is a request as others are. */
  *#atOnce(pages: Iterable<Awaitable<Page<unknown>>>, call: CallOptions): Generator<Page<unknown>> {
    const iterator = pages[Symbol.iterator]()
    // A page that fails or ends by itself needs no end; one that is left or refused does.
    let isOver = false
    const next = (): IteratorResult<Awaitable<Page<unknown>>> => {
      isOver = true
      const one = iterator.next()
      isOver = one.done === true
      return one
    }
    try {
      while (true) {
        const one = this.#gate.passAtOnce(call, next)
        if (one.done === true) return
        const page: Awaitable<Page<unknown>> = one.value
        yield (isPromise(page) ? this.#gate.pass(call, () => page) : page) as Page<unknown>
      }
    } finally {
      if (!isOver) iterator.return?.()
    }
  }

  /** Pages, each a request; after a failure the listing goes on where it stood. */
  async *#resumed(
    first: AsyncIterable<Page<unknown>>,
    range: ScanRange,
    call: CallOptions,
  ): AsyncGenerator<Page<unknown>> {
    let { resume } = range
    let pages: Pages<unknown> = first
    for (let attempt = 1; ; attempt++) {
      try {
        for await (const page of this.#gated(pages, call)) {
          yield page
          if (page.resume === undefined) return
          resume = page.resume
          attempt = 1
        }
        return
      } catch (error) {
        if (!isStoreError(error) || this.#gate.hasRefused(error) || !mayRetry('read', error)) throw error
        if (!(await this.#retries.next('scan', attempt, error, call))) throw error
        pages = this.#inner.scan({ ...range, resume }, call)
      }
    }
  }

  /** While the caller looks at a page, no request is running. */
  async *#gated(pages: Pages<unknown>, call: CallOptions): AsyncGenerator<Page<unknown>> {
    const iterator = Symbol.iterator in pages ? pages[Symbol.iterator]() : pages[Symbol.asyncIterator]()
    let isOver = false
    const next = async (): Promise<Page<unknown> | undefined> => {
      isOver = true
      const one: IteratorResult<Awaitable<Page<unknown>>> = await iterator.next()
      isOver = one.done === true
      return one.done === true ? undefined : one.value
    }
    try {
      for (let page = await this.#gate.pass(call, next); page !== undefined; ) {
        yield page
        page = await this.#gate.pass(call, next)
      }
    } finally {
      if (!isOver) await iterator.return?.()
    }
  }
}

/** Only a set leaves a version behind that can be found. */
function isLookedUp({ type, ifVersion }: Mutation<unknown>): boolean {
  return type === 'set' && ifVersion !== undefined
}

function isUnknown(result: unknown): result is WriteResult & Error {
  return isStoreError(result) && result.code === 'OUTCOME_UNKNOWN'
}
