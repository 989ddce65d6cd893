export type { Algorithm } from './algorithms.ts'
export { type CompressOptions, compress, type DecompressOptions, decompress } from './compress.ts'
export {
  type CompressionCapabilities,
  type CompressionOptions,
  compression,
  type ThreadedCapabilities,
} from './compression.ts'
export { dictionaryId } from './dictionary.ts'
export { type DictionaryGain, dictionaryGain, type TrainOptions, trainDictionary } from './train.ts'
