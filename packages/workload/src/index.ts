export { type DataSource, pointsOf, type SizePoint } from './data/data-source.ts'
export { type FilesSource, filesSource } from './data/files.ts'
export { functionSource, moduleSource, type ObjectFunction, type ObjectRequest } from './data/module.ts'
export { type DataRequest, openData } from './data/open-data.ts'
export { type SyntheticOptions, synthetic } from './data/synthetic.ts'
export { type BenchDeltasInput, benchDeltas, type DeltasEvent } from './deltas/bench-deltas.ts'
export {
  type DeltasConfig,
  deltasConfig,
  type EditPattern,
  editPatterns,
  parseShares,
  type UseOfDeltas,
} from './deltas/config.ts'
export { type EditRequest, edited } from './deltas/edits.ts'
export type { DeltaCell } from './deltas/plan.ts'
export {
  type Reason,
  type Recommendation,
  recommend,
  type Turning,
  type Verdict,
  type WayCosts,
} from './deltas/recommend.ts'
export type { DeltaPoint, DeltasResult, Timed, Way } from './deltas/result.ts'
export { type Arrivals, constantRate, poissonRate } from './loop/arrivals.ts'
export { type LoopClock, spinningClock, timerClock } from './loop/clock.ts'
export { type ClosedLoopOptions, closedLoop } from './loop/closed-loop.ts'
export type { KindResult, LoopResult, OpenLoopResult } from './loop/loop-result.ts'
export { type OpenLoopOptions, openLoop } from './loop/open-loop.ts'
export { type Operations, operations } from './loop/operations.ts'
export { type Invalidity, type InvalidReason, type VerdictLimits, verdict } from './loop/verdict.ts'
export { Histogram, type HistogramData, type HistogramOptions } from './measure/histogram.ts'
export { fastRandom, portableRandom, type Random, shuffledIndexes, subSeed } from './random/random.ts'
export { type RankDistribution, type ZipfOptions, zeta, zipfAlias, zipfRejection } from './random/zipf.ts'
export { deltasMarkdown, deltasText } from './report/deltas-text.ts'
export { findings } from './report/findings/findings.ts'
export { resultFiles } from './report/result-files.ts'
export { checkResultFolder, writeResultFolder } from './report/result-folder.ts'
export { markdownReport, textReport } from './report/text-report.ts'
export { formatDuration, formatMs } from './report/units.ts'
export { wrapped } from './report/wrapped.ts'
export type { BenchInput } from './run/bench-run.ts'
export type { BenchCell, BenchEvent, FinishedCell } from './run/events.ts'
export type { DataInfo, Environment, RunResult, StoreInfo } from './run/result.ts'
export type {
  CacheTarget,
  InProcessCacheTarget,
  RemoteCacheTarget,
  ShareMode,
  StoreTarget,
} from './run/target.ts'
export { type BenchSizesInput, benchSizes, type SizesEvent } from './sizes/bench-sizes.ts'
export {
  type CompressionAlgorithm,
  compressionAlgorithms,
  type EncryptionAlgorithm,
  encryptionAlgorithms,
  type SizesConfig,
  sizesConfig,
  sizesConfigSchema,
} from './sizes/config.ts'
export {
  breakEvenHitRate,
  fullLatency,
  type HitCosts,
  paperLatency,
  parseHitRates,
} from './sizes/hit-rate.ts'
export type { CacheCell, Cell, CompressionCell, EncryptionCell, LatencyCell } from './sizes/plan.ts'
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
  SizesResult,
} from './sizes/result.ts'
export { parseSizesResult, sizesResultSchema } from './sizes/result-schema.ts'
export { formatSize, parseSize, parseSizes } from './sizes/size-list.ts'
export type { Ratio } from './statistics/ratio.ts'
export { studentTQuantile } from './statistics/student-t.ts'
export { logLogSlope, type Summary, summarise } from './statistics/summary.ts'
