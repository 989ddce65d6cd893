import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
} from 'node:zlib'
import type { Bytes } from '@unikv/core'
import { compressorChunkBytes, inflate, inflateNow, type Method, onPool, type ZlibPair } from './engine.ts'

const pack: ZlibPair<BrotliOptions> = { now: brotliCompressSync, later: brotliCompress }
const unpack: ZlibPair<BrotliOptions> = { now: brotliDecompressSync, later: brotliDecompress }

const options = (bytes: Bytes, level: number): BrotliOptions => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: level },
  chunkSize: compressorChunkBytes(bytes),
})

/** Brotli (RFC 7932). From quality 7 on even 1 KiB takes a millisecond. */
export const brotli: Method = {
  id: 3,
  levels: { min: 0, max: 11, default: 4 },
  syncBytes: (level) => (level <= 6 ? 8192 : 0),
  compressNow: (bytes, level) => pack.now(bytes, options(bytes, level)),
  compress: (bytes, level) => onPool(pack, bytes, options(bytes, level)),
  decompressNow: (body, length) => inflateNow(unpack, body, length),
  decompress: (body, length) => inflate(unpack, body, length),
}
