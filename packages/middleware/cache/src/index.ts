export {
  type CacheCapabilities,
  cache,
  type ObjectCacheLayer,
  type StoreCacheCapabilities,
  type StoreCacheLayer,
  type WarmCacheLayer,
} from './cache.ts'
export type { FreshnessOptions, ObjectCacheOptions, StoreCacheOptions } from './cache-options.ts'
export type { CacheStats } from './cache-stats.ts'
export type { Bounds, Policy, PolicyFactory, PolicyName, Resident } from './policies/index.ts'
export type { Share } from './sharing.ts'
export type { Uptime, UptimeReading } from './warm/uptime.ts'
export type { WarmOptions } from './warm/warm-options.ts'
export type { WarmSaved } from './warm/warm-save.ts'
export type { WarmHandle } from './warm/warm-stack.ts'
export type { WarmStats } from './warm/warm-stats.ts'
