import { type Awaitable, type Entry, StoreError } from '@unikv/core'
import { statsOf } from '../cache-stats.ts'
import type { Loader, LoadResult } from '../loaded.ts'
import { nothingMore } from '../nothing-more.ts'
import type { BulkLoader } from './bulk-load.ts'
import type { Cache, ExplicitStats, Found, WrapOptions } from './cache-api.ts'
import { ExplicitChanges } from './explicit-changes.ts'
import type { CachedOptions, CacheSettings, PutOptions } from './explicit-options.ts'
import { ExplicitParts } from './explicit-parts.ts'
import { ExplicitReads, entryItself, promised, valueOf } from './explicit-reads.ts'
import { closed } from './keys.ts'

/** The cache of the layers, with loaders in the place of the store: see `Cache`. */
export class ExplicitCache<V> implements Cache<V> {
  readonly #parts: ExplicitParts
  readonly #reads: ExplicitReads<V>
  readonly #changes: ExplicitChanges<V>
  #closing: Promise<void> | undefined

  constructor(settings: CacheSettings) {
    this.#parts = new ExplicitParts(settings)
    this.#reads = new ExplicitReads(this.#parts)
    this.#changes = new ExplicitChanges(this.#parts)
  }

  cached<R extends LoadResult<V>>(
    key: string,
    load: Loader<V, R>,
    options?: CachedOptions,
  ): Promise<Found<V, R>> {
    return this.#reads.cached('cached', key, load, options, valueOf) as Promise<Found<V, R>>
  }

  cachedEntry(key: string, load: Loader<V>, options?: CachedOptions): Promise<Entry<V> | undefined> {
    const found = this.#reads.cached('cachedEntry', key, load, options, entryItself)
    return found as Promise<Entry<V> | undefined>
  }

  cachedMany(
    keys: Iterable<string>,
    loadMany: BulkLoader<V>,
    options: CachedOptions = {},
  ): Promise<Map<string, V>> {
    return this.#reads.cachedMany(keys, loadMany, options) as Promise<Map<string, V>>
  }

  get(key: string, options?: unknown): Promise<V | undefined> {
    if (options !== undefined) return promised(() => nothingMore('get', options)) as Promise<undefined>
    return this.#reads.get('get', key, valueOf) as Promise<V | undefined>
  }

  getEntry(key: string, options?: unknown): Promise<Entry<V> | undefined> {
    if (options !== undefined) return promised(() => nothingMore('getEntry', options)) as Promise<undefined>
    return this.#reads.get('getEntry', key, entryItself) as Promise<Entry<V> | undefined>
  }

  peek(key: string, options?: unknown): V | undefined {
    nothingMore('peek', options)
    return this.#reads.peek(key) as V | undefined
  }

  put(key: string, value: V, options: PutOptions = {}): Promise<void> {
    return this.#changes.put(key, value, options)
  }

  async invalidate(key: string, options?: unknown): Promise<void> {
    nothingMore('invalidate', options)
    return this.#changes.invalidateMany([key])
  }

  async invalidateMany(keys: Iterable<string>, options?: unknown): Promise<void> {
    nothingMore('invalidateMany', options)
    return this.#changes.invalidateMany(keys)
  }

  async expire(key: string, options?: unknown): Promise<void> {
    nothingMore('expire', options)
    return this.#changes.expire(key)
  }

  async invalidateTags(tags: string | Iterable<string>, options?: unknown): Promise<void> {
    nothingMore('invalidateTags', options)
    return this.#changes.invalidateTags(tags)
  }

  async revalidate<R extends LoadResult<V>>(
    key: string,
    load: Loader<V, R>,
    options: CachedOptions = {},
  ): Promise<Found<V, R>> {
    const canonical = this.#parts.keys.canonical(key)
    this.#reads.check(options)
    const entry = await this.#reads.load('revalidate', canonical, load, options, 'strong')
    return valueOf(entry) as Found<V, R>
  }

  wrap<A extends readonly unknown[], R extends LoadResult<V>>(
    fn: (...args: A) => Awaitable<R>,
    settings: WrapOptions<A>,
  ): (...args: A) => Promise<Found<V, R>> {
    const { key, ...options } = Object(settings) as WrapOptions<A>
    if (typeof fn !== 'function' || typeof key !== 'function')
      throw new StoreError('INVALID_ARGUMENT', 'wrap() takes a function, and { key: (...args) => string }.')
    this.#reads.check(options)
    return (...args) => promised(() => this.cached<R>(key(...args), () => fn(...args), options))
  }

  stats(): ExplicitStats {
    const { settings, counters, near, below } = this.#parts
    const bus = near.busStats
    return {
      ...statsOf(settings.near.tier, counters, near.size),
      ...(bus && { bus }),
      below: below?.stats(),
    }
  }

  clear(options?: unknown): void {
    nothingMore('clear', options)
    this.#parts.near.clear()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const { keys, settings, waiters, source, turns, near, below } = this.#parts
    keys.close()
    await waiters.drained(settings.graceMs)
    waiters.dismiss(closed)
    source.abort()
    await turns.ended()
    await near.close()
    await below?.close()
  }
}
