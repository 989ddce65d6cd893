import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  compose,
  isEntry,
  isPromise,
  isStoreError,
  isWritten,
  type Mutation,
  newVersion,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { callOptions, keyBytes, namespacePrefix } from '@unikv/core/adapter'
import { Failure } from './answer.ts'
import type { StoreCacheSettings } from './cache-options.ts'
import { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from './cache-record.ts'
import type { Counters } from './cache-stats.ts'
import type { Flight } from './flights.ts'

/** Most keys that are remembered one by one because they could not be invalidated. */
const maxSuspects = 10_000

/**
 * The records of a cache in its store. Nothing here throws or rejects but what `onError: 'fail'` asks for, and
 * nothing waits longer than `timeoutMs`.
 *
 * A record whose invalidation failed is *suspect*: it is not read again until a later write of it is acknowledged.
 * If there are too many suspects, nothing is read until all that was fresh has ceased to be.
 */
export class CacheTier {
  readonly #store: Store<Bytes>
  readonly #prefix: string
  readonly #settings: StoreCacheSettings
  readonly #counters: Counters
  /** Fills under way. They outlive the loads that began them when nobody waits for them any more. */
  readonly #filling = new Map<string, Fill>()
  readonly #suspects = new Set<string>()
  #blindUntil = 0

  constructor(settings: StoreCacheSettings, counters: Counters) {
    this.#store = compose(settings.store, []) as Store<Bytes>
    this.#prefix = namespacePrefix([settings.namespace])
    this.#settings = settings
    this.#counters = counters
  }

  /** The records of these keys, as far as they are there and can be trusted. */
  async find(keys: readonly string[]): Promise<readonly (CacheRecord | Failure | undefined)[]> {
    const isBlind = this.#blindUntil > performance.now()
    const trusted = isBlind ? [] : keys.filter((key) => this.#takes(key) && !this.#suspects.has(key))
    if (trusted.length === 0) return keys.map(() => undefined)
    const found = new Map<string, CacheRecord | Failure | undefined>()
    try {
      const reads = trusted.map((key) => ({ key: this.#prefix + key }))
      const results = await this.#bounded((call) => this.#store.read(reads, call))
      for (const [i, key] of trusted.entries()) found.set(key, this.#decode(results[i]))
    } catch (error) {
      const failure = this.#failure(error)
      for (const key of trusted) found.set(key, failure)
    }
    return keys.map((key) => found.get(key))
  }

  /** Write the records of loads that nothing has overtaken. */
  async fill(items: readonly { readonly flight: Flight; readonly record: CacheRecord }[]): Promise<void> {
    const fills: Fill[] = []
    const mutations: Mutation<Bytes>[] = []
    for (const { flight, record } of items) {
      const under = this.#filling.get(flight.key)
      if (under !== undefined) under.isOvertaken = true
      if (flight.overtaken || under !== undefined) continue
      const mutation = this.#mutationOf(flight.key, record)
      if (mutation === undefined) continue
      fills.push({ flight, isOvertaken: false, landed: undefined })
      mutations.push(mutation)
    }
    if (fills.length === 0) return
    await this.#bounded((call) => {
      const landed = this.#write(mutations, call).then((results) => this.#filled(fills, results))
      for (const fill of fills) {
        fill.landed = landed
        this.#filling.set(fill.flight.key, fill)
      }
      return landed
    }).catch((error: unknown) => this.#failure(error))
  }

  /** Remove the records of these keys. Afterwards they are gone, or suspect. */
  async invalidate(keys: readonly string[]): Promise<void> {
    const taken = keys.filter((key) => this.#takes(key))
    if (taken.length === 0) return
    const fills = taken.flatMap((key) => this.#filling.get(key) ?? [])
    for (const fill of fills) fill.isOvertaken = true
    if (fills.length > 0) await this.#landed(fills)
    // A fill that is still on its way may land before the removal or after it, and be acknowledged first either way.
    const free = new Set(taken.filter((key) => !this.#filling.has(key)))
    const mutations = taken.map(
      (key): Mutation<Bytes> => ({ type: 'delete', key: this.#prefix + key, version: this.#version() }),
    )
    const results = await this.#bounded((call) => this.#write(mutations, call)).catch((error: unknown) => {
      this.#failure(error)
      return undefined
    })
    for (const [i, key] of taken.entries()) {
      const result = results?.[i]
      if (result !== undefined && isWritten(result) && free.has(key)) this.#suspects.delete(key)
      else this.#suspect(key)
    }
  }

  /** Wait for fills under way and close the store. */
  async close(): Promise<void> {
    await this.#landed(Array.from(this.#filling.values()))
    await this.#store.close()
  }

  /** A longer key than the cache store takes is simply not cached. */
  #takes(key: string): boolean {
    const { maxKeyBytes } = this.#store.capabilities
    const length = this.#prefix.length + key.length
    return length * 3 <= maxKeyBytes || keyBytes(this.#prefix + key) <= maxKeyBytes
  }

  #mutationOf(key: string, record: CacheRecord): Mutation<Bytes> | undefined {
    if (!this.#takes(key)) return undefined
    const value = encodeCacheRecord(record)
    const { ttl, maxValueBytes } = this.#store.capabilities
    if (value === undefined || value.length > maxValueBytes) {
      this.#counters.refusals++
      return undefined
    }
    const keptUntil = record.freshUntil + (record.entry === undefined ? 0 : this.#settings.keepForMs)
    const ends = Math.min(keptUntil, record.entry?.expiresAt ?? Number.POSITIVE_INFINITY)
    const expiresAt = ttl === false || ends >= 2 ** 48 ? undefined : Math.ceil(ends)
    return { type: 'set', key: this.#prefix + key, value, version: this.#version(), expiresAt }
  }

  /** The outcome of fills, known in time or not. */
  #filled(fills: readonly Fill[], results: readonly WriteResult[]): void {
    for (const [i, { flight, isOvertaken }] of fills.entries()) {
      const { key, overtaken } = flight
      this.#filling.delete(key)
      if (overtaken || isOvertaken) void this.invalidate([key])
      else if (isWritten(results[i] as WriteResult)) this.#suspects.delete(key)
    }
  }

  /** Wait for fills, as long as one may wait. */
  async #landed(fills: readonly Fill[]): Promise<void> {
    await this.#bounded(() => Promise.all(fills.map(async ({ landed }) => landed))).catch(() => {})
  }

  /** A write whose failure as a whole is that of each item, so that it never rejects. */
  async #write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    try {
      const results = await this.#store.write(mutations, call)
      this.#counters.storeErrors += results.filter((result) => isStoreError(result)).length
      return results
    } catch (error) {
      this.#counters.storeErrors++
      const failure = isStoreError(error)
        ? error
        : new StoreError('OUTCOME_UNKNOWN', 'The cache store failed.', { cause: error })
      return mutations.map(() => failure)
    }
  }

  #decode(result: unknown): CacheRecord | Failure | undefined {
    if (result === undefined) return undefined
    if (isStoreError(result)) return this.#failure(result)
    try {
      return isEntry<Bytes>(result as never)
        ? decodeCacheRecord((result as { value: Bytes }).value)
        : undefined
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** Count an error; what it is to a read says the policy. */
  #failure(error: unknown): Failure | undefined {
    this.#counters.storeErrors++
    return this.#settings.onError === 'fail' ? new Failure(error) : undefined
  }

  #suspect(key: string): void {
    if (this.#suspects.size >= maxSuspects) {
      this.#blindUntil = performance.now() + this.#settings.freshForMs
      this.#suspects.clear()
    }
    this.#suspects.add(key)
  }

  #version(): string {
    return newVersion(this.#settings.clock())
  }

  /** Wait for at most `timeoutMs`. What has not started by then does not start any more. */
  async #bounded<T>(run: (call: CallOptions) => Awaitable<T>): Promise<T> {
    const { timeoutMs } = this.#settings
    const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
    const answer = run(call)
    if (!isPromise(answer)) return answer
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        call.settled = true
        reject(new StoreError('TIMEOUT', 'The cache store did not answer in time.'))
      }, timeoutMs)
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** One record on its way into the store. */
interface Fill {
  readonly flight: Flight
  /** A write began, or a later load: the record is to be removed again. */
  isOvertaken: boolean
  landed: Promise<void> | undefined
}
