import type { Bytes, Layer, PassThrough } from '@unikv/core'
import type { CacheStats } from './cache-stats.ts'
import type { Invalidates } from './invalidate.ts'
import type { WarmHandle } from './warm/warm-stack.ts'

/** Capabilities that a cache changes: other processes may write unseen, and passing it by is a consistency level. */
export interface CacheCapabilities {
  readonly isolation: 'eventual'
  readonly consistency: readonly string[]
}

/** Capabilities that a cache in another store changes. */
export interface StoreCacheCapabilities extends CacheCapabilities {
  readonly sync: 'none'
}

/** A cache in this process: a layer, and the handle to look at it. */
export interface ObjectCacheLayer extends PassThrough<CacheCapabilities>, Invalidates {
  /** Statistics since it was created, over all stacks that it is in. */
  stats(): CacheStats
  /** Forget everything, at once; loads under way are not kept either. */
  clear(): void
  /**
   * Forget all that has one of these tags (see the option `tags`), at once, however much it is: after this has resolved, no
   * read is answered by an earlier load. Loads under way are answered to their callers, and not kept.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if this is not a tag, `INVALID_CONFIG` for a cache without the option
   */
  invalidateTags(tags: string | Iterable<string>): Promise<void>
}

/** A cache in this process whose hottest part outlives it. */
export interface WarmCacheLayer extends ObjectCacheLayer, WarmHandle {}

/** A cache in another store: a layer, and the handle to look at it. */
export interface StoreCacheLayer extends Layer<Bytes, Bytes, StoreCacheCapabilities>, Invalidates {
  /** Statistics since it was created, over all stacks that it is in. */
  stats(): CacheStats
  /**
   * Forget all that has one of these tags (see the option `tags`), at once, however much it is: after this has resolved, no
   * later call of any process is answered with what was loaded before.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if this is not a tag, `INVALID_CONFIG` for a cache without the option; if the cache
   * store did not confirm it the code of its error, or `OUTCOME_UNKNOWN`: try again
   */
  invalidateTags(tags: string | Iterable<string>): Promise<void>
}
