import type { Cache } from './cache-api.ts'
import { ExplicitCache } from './explicit-cache.ts'
import { type CacheOptions, cacheSettings } from './explicit-options.ts'

/**
 * Make a cache that the application drives itself: `cached(key, load)` around calls of the native client, `put`,
 * `invalidate`, `revalidate`.
 *
 * In this process, once `invalidate` or `put` has resolved, nothing older is answered. Changes of other writers are
 * seen when the entry ends, by `freshForMs`.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option
 */
export function createCache<V = unknown>(options: CacheOptions<V> = {}): Cache<V> {
  return new ExplicitCache<V>(cacheSettings(options))
}
