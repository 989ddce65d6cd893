import {
  type BrotliOptions,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  createBrotliCompress,
} from 'node:zlib'
import type { Bytes } from '@unikv/core'
import {
  compressorChunkBytes,
  inflate,
  inflateNow,
  type Method,
  packOnPool,
  type ZlibPair,
  zlibSyncOutputBytes,
} from '../engine.ts'

const finish = constants.BROTLI_OPERATION_FINISH
const unpack: ZlibPair<BrotliOptions> = { now: brotliDecompressSync, later: brotliDecompress }

const options = (bytes: Bytes, level: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: level,
    // no larger than the value: the memory of the window is given back on the event loop
    [constants.BROTLI_PARAM_LGWIN]: Math.max(16, Math.min(22, Math.ceil(Math.log2(bytes.length + 1)))),
  },
  chunkSize: compressorChunkBytes(bytes),
})

/** Brotli (RFC 7932). At quality 10 and 11 even 1 KiB takes more than a millisecond. */
export const brotli: Method = {
  id: 3,
  levels: { min: 0, max: 11, default: 4 },
  syncOutputBytes: zlibSyncOutputBytes,
  syncBytes: (level) => (level <= 9 ? 8192 : 0),
  compressNow: (bytes, level) => brotliCompressSync(bytes, options(bytes, level)),
  compress: (bytes, level) =>
    packOnPool(createBrotliCompress, { bytes, options: options(bytes, level), finish }),
  decompressNow: (body, length) => inflateNow(unpack, body, length),
  decompress: (body, length) => inflate(unpack, body, length),
}
