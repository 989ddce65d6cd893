import * as zlib from 'node:zlib'
import type { Bytes } from '@unikv/core'
import { compressorChunkBytes, inflate, inflateNow, type Method, onPool, type ZlibPair } from './engine.ts'

interface ZstdOptions {
  readonly params?: Readonly<Record<number, number>>
  readonly chunkSize?: number
  readonly maxOutputLength?: number
  readonly info?: boolean
  /** Lets the compressor choose a window no larger than the value. */
  readonly pledgedSrcSize?: number
}

/** What newer runtimes add to `node:zlib`; the types of Node 20 do not know it. */
interface ZstdFunctions {
  readonly zstdCompressSync: ZlibPair<ZstdOptions>['now']
  readonly zstdCompress: ZlibPair<ZstdOptions>['later']
  readonly zstdDecompressSync: ZlibPair<ZstdOptions>['now']
  readonly zstdDecompress: ZlibPair<ZstdOptions>['later']
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_d_windowLogMax: number }
}

/** Zstandard (RFC 8878), from Node 22.15 on; `undefined` before. */
export const zstd: Method | undefined =
  'zstdCompressSync' in zlib ? zstdOf(zlib as unknown as ZstdFunctions) : undefined

function zstdOf(functions: ZstdFunctions): Method {
  const { ZSTD_c_compressionLevel, ZSTD_d_windowLogMax } = functions.constants
  const pack = { now: functions.zstdCompressSync, later: functions.zstdCompress }
  const unpack = { now: functions.zstdDecompressSync, later: functions.zstdDecompress }
  const options = (bytes: Bytes, level: number): ZstdOptions => ({
    params: { [ZSTD_c_compressionLevel]: level },
    chunkSize: compressorChunkBytes(bytes),
    pledgedSrcSize: bytes.length,
  })
  const limits = (length: number): ZstdOptions => ({ params: { [ZSTD_d_windowLogMax]: windowLog(length) } })
  return {
    id: 4,
    levels: { min: 1, max: 19, default: 3 },
    syncBytes,
    compressNow: (bytes, level) => pack.now(bytes, options(bytes, level)),
    compress: (bytes, level) => onPool(pack, bytes, options(bytes, level)),
    decompressNow: (body, length) => inflateNow(unpack, body, length, limits(length)),
    decompress: (body, length) => inflate(unpack, body, length, limits(length)),
  }
}

function syncBytes(level: number): number {
  if (level <= 3) return 32_768
  return level <= 9 ? 8192 : 1024
}

/** A frame may ask for a window larger than its content: 8 MiB, as every reader must grant, or the value's size. */
function windowLog(length: number): number {
  return Math.max(23, Math.ceil(Math.log2(length)))
}
