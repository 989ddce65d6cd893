export type { Comparison, ComparisonOptions, Difference, Differing } from './comparing.ts'
export type { MirrorEvent, MirrorStats } from './events.ts'
export {
  type Fallback,
  type FallbackCapabilities,
  type FallbackStats,
  fallback,
} from './fallback/fallback.ts'
export type { FallbackOptions } from './fallback/fallback-options.ts'
export { type BytesStore, type Mirror, mirror, type Resync } from './mirror.ts'
export type { MirrorCapabilities } from './mirror-capabilities.ts'
export type { MirrorOptions } from './mirror-options.ts'
