export type { Algorithm } from './algorithms.ts'
export { type CompressOptions, compress, type DecompressOptions, decompress } from './compress.ts'
export {
  type CompressionCapabilities,
  type CompressionOptions,
  compression,
  type ThreadedCapabilities,
} from './compression.ts'
export { dictionaryId } from './dictionary/dictionary.ts'
export {
  type DictionaryGain,
  dictionaryGain,
  type TrainOptions,
  trainDictionary,
} from './dictionary/train.ts'
