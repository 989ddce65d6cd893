export { Histogram, type HistogramData, type HistogramOptions } from '@unikv/core/histogram'
export { fastRandom, portableRandom, type Random, shuffledIndexes, subSeed } from './random/random.ts'
export { zeta } from './random/zeta.ts'
export { type RankDistribution, type ZipfOptions, zipfAlias, zipfRejection } from './random/zipf.ts'
export {
  type HistogramJson,
  histogramJson,
  histogramJsonSchema,
  histogramOf,
} from './statistics/histogram-json.ts'
export { type Ratio, ratioOf } from './statistics/ratio.ts'
export { studentTQuantile } from './statistics/student-t.ts'
export { logLogSlope, type Summary, summarise } from './statistics/summary.ts'
