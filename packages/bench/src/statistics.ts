export {
  Histogram,
  type HistogramData,
  type HistogramJson,
  type HistogramOptions,
  histogramJson,
  histogramOf,
} from '@unikv/core/histogram'
export { fastRandom, portableRandom, type Random, shuffledIndexes, subSeed } from './random/random.ts'
export { zeta } from './random/zeta.ts'
export { type RankDistribution, type ZipfOptions, zipfAlias, zipfRejection } from './random/zipf.ts'
export { bootstrapRatio } from './statistics/compare/bootstrap.ts'
export { type ComparisonOptions, compared } from './statistics/compare/comparison.ts'
export type { Comparison } from './statistics/compare/comparison-result.ts'
export { type MannWhitneyTest, mannWhitneyTest } from './statistics/compare/mann-whitney.ts'
export { type PairedTest, pairedTest } from './statistics/compare/paired.ts'
export { type WelchTest, welchTest } from './statistics/compare/welch.ts'
export { histogramJsonSchema } from './statistics/histogram-json.ts'
export { type HlogInterval, hlog } from './statistics/hlog.ts'
export { median } from './statistics/median.ts'
export { type Ratio, ratioOf } from './statistics/ratio.ts'
export { type ShareInterval, shareInterval } from './statistics/share-interval.ts'
export { isPrecise, isSteady, type SteadyOptions } from './statistics/steady.ts'
export { studentTQuantile } from './statistics/student-t.ts'
export { logLogSlope, type Summary, summarise } from './statistics/summary.ts'
export type { CurveShape } from './statistics/usl/curve-shape.ts'
export { type UslFit, uslFit } from './statistics/usl/usl-fit.ts'
export { type UslParameters, type UslPoint, uslThroughput } from './statistics/usl/usl-law.ts'
