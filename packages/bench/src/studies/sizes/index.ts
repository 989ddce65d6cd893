export {
  type CompressionAlgorithm,
  compressionAlgorithms,
  type EncryptionAlgorithm,
  encryptionAlgorithms,
  type SizesConfig,
} from './config.ts'
export { breakEvenHitRate, fullLatency, type HitCosts, paperLatency } from './hit-rate.ts'
export type { CacheCell, Cell, CompressionCell, EncryptionCell, LatencyCell } from './plan.ts'
export type {
  CacheInfo,
  CachePoint,
  CacheSeries,
  CodecPoint,
  CodecSeries,
  DrivenLatency,
  LatencySeries,
  Measured,
  PointInfo,
  RatedLatency,
  SizesBody,
  SizesResult,
} from './result.ts'
export { sizes } from './sizes.ts'
