import * as zlib from 'node:zlib'
import type { Bytes } from '@unikv/core'
import {
  compressorChunkBytes,
  inflate,
  inflateNow,
  type Method,
  onPool,
  type ZlibPair,
  zlibSyncOutputBytes,
} from '../engine.ts'
import { windowLog } from './zstd-frame.ts'

interface ZstdOptions {
  readonly params?: Readonly<Record<number, number>>
  readonly chunkSize?: number
  readonly maxOutputLength?: number
  readonly info?: boolean
  /** Lets the compressor choose a window no larger than the value. */
  readonly pledgedSrcSize?: number
  readonly dictionary?: Buffer | undefined
}

/** Functions that newer runtimes add to `node:zlib`; the types of Node 20 do not know them. */
interface ZstdFunctions {
  readonly zstdCompressSync: ZlibPair<ZstdOptions>['now']
  readonly zstdCompress: ZlibPair<ZstdOptions>['later']
  readonly zstdDecompressSync: ZlibPair<ZstdOptions>['now']
  readonly zstdDecompress: ZlibPair<ZstdOptions>['later']
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_d_windowLogMax: number }
}

/** The runtime's own Zstandard, with or without a dictionary; `undefined` where it lacks that. */
export function nativeZstd(dictionary: Buffer | undefined): Method | undefined {
  if (!('zstdCompressSync' in zlib)) return undefined
  const functions = zlib as unknown as ZstdFunctions
  return dictionary === undefined || takesDictionary(functions) ? methodOf(functions, dictionary) : undefined
}

/** Runtimes before 22.19 leave a dictionary out without a word. */
function takesDictionary({ zstdCompressSync }: ZstdFunctions): boolean {
  const text = Buffer.from('a text that is in the dictionary as it is')
  return zstdCompressSync(text, { dictionary: text }).length < text.length / 2
}

function methodOf(functions: ZstdFunctions, dictionary: Buffer | undefined): Method {
  const { ZSTD_c_compressionLevel, ZSTD_d_windowLogMax } = functions.constants
  const pack = { now: functions.zstdCompressSync, later: functions.zstdCompress }
  const unpack = { now: functions.zstdDecompressSync, later: functions.zstdDecompress }
  const extra = dictionary === undefined ? {} : { dictionary }
  const options = (bytes: Bytes, level: number): ZstdOptions => ({
    params: { [ZSTD_c_compressionLevel]: level },
    chunkSize: compressorChunkBytes(bytes),
    pledgedSrcSize: bytes.length,
    ...extra,
  })
  const limits = (length: number): ZstdOptions => ({
    params: { [ZSTD_d_windowLogMax]: windowLog(length) },
    ...extra,
  })
  return {
    id: 4,
    levels: { min: 1, max: 19, default: 3 },
    syncOutputBytes: zlibSyncOutputBytes,
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
