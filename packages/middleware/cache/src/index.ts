export type {
  BusListener,
  BusMember,
  BusWrite,
  InvalidationBus,
  PubSub,
  PubSubConnection,
  PubSubEvents,
} from './bus/bus.ts'
export type { BusStats } from './bus/bus-link.ts'
export { pubSubBus } from './bus/pub-sub-bus.ts'
export { cache } from './cache.ts'
export type {
  CacheCapabilities,
  ObjectCacheLayer,
  StoreCacheCapabilities,
  StoreCacheLayer,
  WarmCacheLayer,
} from './cache-layers.ts'
export type { FreshnessOptions } from './cache-options.ts'
export type { CacheStats } from './cache-stats.ts'
export type { EntryOptions, FreshFor, RemovalCause } from './entry-options.ts'
export type { BulkContext, BulkLoader, BulkResult } from './explicit/bulk-load.ts'
export type { Cache, ExplicitStats, Found, WrapOptions } from './explicit/cache-api.ts'
export { createCache } from './explicit/create-cache.ts'
export type { BelowOptions, CachedOptions, CacheOptions, PutOptions } from './explicit/explicit-options.ts'
export type { Invalidates } from './invalidate.ts'
export {
  type LoadContext,
  type Loaded,
  type Loader,
  type LoadFacts,
  type LoadResult,
  loaded,
  notModified,
  type Unchanged,
  type VersionedFacts,
} from './loaded.ts'
export type { Freshness } from './loads/loading.ts'
export type { Cached, CacheObject } from './object/cache-object.ts'
export type { ObjectCacheOptions } from './object-cache-options.ts'
export type { Bounds, Policy, PolicyFactory, PolicyName, Resident } from './policies/index.ts'
export type { StoreCacheOptions } from './store-cache-options.ts'
export type { TagsOf } from './tags/tagging.ts'
export type { Share } from './values/sharing.ts'
export type { Uptime, UptimeReading } from './warm/uptime.ts'
export type { WarmOptions } from './warm/warm-options.ts'
export type { WarmSaved } from './warm/warm-save.ts'
export type { WarmHandle } from './warm/warm-stack.ts'
export type { WarmStats } from './warm/warm-stats.ts'
