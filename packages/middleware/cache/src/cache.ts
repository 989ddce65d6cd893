import { checkFactoryOptions } from '@unikv/core/adapter'
import type { ObjectCacheLayer, StoreCacheLayer, WarmCacheLayer } from './cache-layers.ts'
import { objectCache } from './object/object-cache-layer.ts'
import { type ObjectCacheOptions, objectCacheTable } from './object-cache-options.ts'
import { storeCache } from './store/store-cache-layer.ts'
import { type StoreCacheOptions, storeCacheTable } from './store-cache-options.ts'
import type { WarmOptions } from './warm/warm-options.ts'

/**
 * Keep what was read: in this process, as the values that this layer shows above (place it above the codec and
 * they are objects), or as bytes in any other store.
 *
 * A write through the cache removes the entry when it begins and when it ends, for every outcome, and the next
 * read fills it again; what was read before the end of a write is never kept. So a read that starts after a write
 * was acknowledged never sees an older value than that, in this process. Concurrent misses of one key are one
 * load. Reads with `consistency: 'strong'` pass by, and renew the entry.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option
 */
export function cache(options: ObjectCacheOptions & { readonly warm: WarmOptions }): WarmCacheLayer
export function cache(options?: ObjectCacheOptions): ObjectCacheLayer
export function cache(options: StoreCacheOptions): StoreCacheLayer
export function cache(
  options: ObjectCacheOptions | StoreCacheOptions = {},
): ObjectCacheLayer | WarmCacheLayer | StoreCacheLayer {
  const isObjectCache = Object(options).store === undefined
  checkFactoryOptions('cache', options, isObjectCache ? objectCacheTable : storeCacheTable)
  return options.store === undefined ? objectCache(options) : storeCache(options)
}
