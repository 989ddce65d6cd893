export type { NextCacheOptions } from './options.ts'
export { nextCacheHandler } from './page-cache.ts'
export type {
  CacheContext,
  CacheControl,
  CacheEntry,
  CacheHandler,
  CacheHandlerClass,
  CacheHandlerContext,
  CacheValue,
} from './page-types.ts'
export type { Durations } from './tag-state.ts'
export {
  nextUseCacheHandler,
  type UseCacheEntry,
  type UseCacheHandler,
  type UseCacheTimes,
} from './use-cache.ts'
