import type { Awaitable, Entry } from '@unikv/core'
import type { CacheStats } from '../cache-stats.ts'
import type { Loader, LoadResult } from '../loaded.ts'
import type { BulkLoader } from './bulk-load.ts'
import type { CachedOptions, PutOptions } from './explicit-options.ts'

/** Result of `cached`: `undefined` only where the loader may return it. All loaders of a key should agree about that. */
export type Found<V, R> = undefined extends R ? V | undefined : V

/** Figures of an explicit cache since it was made: its part in this process, and its second tier. */
export interface ExplicitStats extends CacheStats {
  readonly below: CacheStats | undefined
}

/**
 * A cache that the application drives itself, around calls of the native client.
 *
 * Keys are non-empty, well-formed strings; `INVALID_KEY` and `KEY_TOO_LONG` say what is none. A miss is `undefined`, `null`
 * is a value. Methods that return a promise throw nothing at once.
 */
export interface Cache<V> {
  /**
   * The value that is kept and fresh, else the one that `load` brings. Concurrent misses of a key are one load; its error
   * reaches each waiter as it is, and nothing is kept.
   *
   * @throws {StoreError} `TIMEOUT`, `ABORTED`, `CLOSED`: of this caller alone
   */
  cached<R extends LoadResult<V>>(
    key: string,
    load: Loader<V, R>,
    options?: CachedOptions,
  ): Promise<Found<V, R>>
  /** As `cached`, with version, expiry and `meta`: which tier answered, and whether the answer is stale. */
  cachedEntry(key: string, load: Loader<V>, options?: CachedOptions): Promise<Entry<V> | undefined>
  /**
   * The values of several keys: those that are kept and fresh, and what one call of `loadMany` brings of the others. A key
   * that another caller is loading is waited for, and not asked for again. Absent ones are not in the answer, which is in
   * the order of the keys.
   *
   * @throws {StoreError} `TIMEOUT`, `ABORTED`, `CLOSED`: of this caller alone; what `loadMany` throws passes as it is
   */
  cachedMany(
    keys: Iterable<string>,
    loadMany: BulkLoader<V>,
    options?: CachedOptions,
  ): Promise<Map<string, V>>
  /** Returns the fresh value of any tier. Loads nothing and waits for no load. */
  get(key: string): Promise<V | undefined>
  /** As `get`, with version, expiry and `meta`. */
  getEntry(key: string): Promise<Entry<V> | undefined>
  /** Returns the fresh value of this process at once. */
  peek(key: string): V | undefined
  /**
   * Keep a value that the application vouches for. It replaces the kept value and all loads under way. If two
   * are put at once, the later one stays.
   *
   * @throws {StoreError} `INVALID_VALUE` for what the codec of the second tier refuses
   */
  put(key: string, value: V, options?: PutOptions): Promise<void>
  /** Forget a key. A load under way is answered to its callers, and not kept. */
  invalidate(key: string): Promise<void>
  /** As `invalidate`, in one call of the second tier. A key may be named twice. */
  invalidateMany(keys: Iterable<string>): Promise<void>
  /**
   * From now on what is kept of a key is not fresh: the next caller loads it, and is told its version. Yet it is there to
   * stand in as `staleWhileRevalidateMs` and `staleIfErrorMs` allow. In the second tier, and in other processes on the bus,
   * the key is forgotten.
   */
  expire(key: string): Promise<void>
  /**
   * Forget all that has one of these tags, at once, however much it is: after this has resolved, no later call is
   * answered with what was loaded or put before. Loads under way are answered to their callers, and not kept.
   *
   * With a second tier this holds for other processes too. Their first tiers follow by `freshForMs`, or by `bus`.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if this is not a tag; if the second tier's store did not confirm it the code of its
   * error, or `OUTCOME_UNKNOWN`: try again
   */
  invalidateTags(tags: string | Iterable<string>): Promise<void>
  /** Load again, fresh or not; the loader is told the version that is kept, and may return `notModified()`. Never stale. */
  revalidate<R extends LoadResult<V>>(
    key: string,
    load: Loader<V, R>,
    options?: CachedOptions,
  ): Promise<Found<V, R>>
  /** The function with this cache in front of it. */
  wrap<A extends readonly unknown[], R extends LoadResult<V>>(
    fn: (...args: A) => Awaitable<R>,
    options: WrapOptions<A>,
  ): (...args: A) => Promise<Found<V, R>>
  /** Statistics since it was created. */
  stats(): ExplicitStats
  /** Forget, at once, all that is kept in this process; records of the second tier stay. */
  clear(): void
  /** Refuse new calls with `CLOSED`, wait for those under way (`graceMs`), end the rest, and close the second tier's store. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Settings of a wrapped function. */
export interface WrapOptions<A extends readonly unknown[]> extends Omit<CachedOptions, 'signal'> {
  /** The key of a call, from its arguments. */
  readonly key: (...args: A) => string
}
