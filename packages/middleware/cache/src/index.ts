export {
  type CacheCapabilities,
  cache,
  type ObjectCacheLayer,
  type StoreCacheCapabilities,
  type StoreCacheLayer,
} from './cache.ts'
export type { FreshnessOptions, ObjectCacheOptions, StoreCacheOptions } from './cache-options.ts'
export type { CacheStats } from './cache-stats.ts'
export type { Bounds, Policy, PolicyFactory, PolicyName, Resident } from './policies/index.ts'
export type { Share } from './sharing.ts'
