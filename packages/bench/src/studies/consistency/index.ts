export type { ConsistencyConfig, Disturbance } from './config.ts'
export { consistency } from './consistency.ts'
export type { LevelPair } from './levels.ts'
export type {
  ConsistencyBody,
  ConsistencyResult,
  LevelCost,
  LevelRate,
  Quantile,
  ReaderResult,
  StalePoint,
  StaleResult,
  StoreLevels,
} from './result.ts'
