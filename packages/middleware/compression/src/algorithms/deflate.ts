import {
  constants,
  crc32,
  createDeflate,
  createDeflateRaw,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  inflate as inflateZlib,
  type ZlibOptions,
} from 'node:zlib'
import type { Bytes } from '@unikv/core'
import { nextTurn } from '@unikv/core/platform'
import {
  compressorChunkBytes,
  corrupt,
  inflate,
  inflateNow,
  type Method,
  packOnPool,
  type ZlibPair,
  zlibSyncOutputBytes,
} from '../engine.ts'

const levels = { min: 1, max: 9, default: 6 }
const syncBytes = (): number => 16_384
const options = (bytes: Bytes, level: number): ZlibOptions => ({
  level,
  chunkSize: compressorChunkBytes(bytes),
})

const finish = constants.Z_FINISH
const ofZlib: ZlibPair<ZlibOptions> = { now: inflateSync, later: inflateZlib }
const ofRaw: ZlibPair<ZlibOptions> = { now: inflateRawSync, later: inflateRaw }

/** Deflate in the zlib format (RFC 1950), which is what HTTP calls deflate. */
export const deflate: Method = {
  id: 2,
  levels,
  syncOutputBytes: zlibSyncOutputBytes,
  syncBytes,
  compressNow: (bytes, level) => deflateSync(bytes, options(bytes, level)),
  compress: (bytes, level) => packOnPool(createDeflate, { bytes, options: options(bytes, level), finish }),
  decompressNow: (body, length) => inflateNow(ofZlib, body, length),
  decompress: (body, length) => inflate(ofZlib, body, length),
}

/** Raw deflate (RFC 1951) that looks back into a dictionary: no header that repeats what the frame tells. */
export function deflateWith(dictionary: Buffer): Method {
  const packing = (bytes: Bytes, level: number): ZlibOptions => ({ ...options(bytes, level), dictionary })
  return {
    ...deflate,
    compressNow: (bytes, level) => deflateRawSync(bytes, packing(bytes, level)),
    compress: (bytes, level) =>
      packOnPool(createDeflateRaw, { bytes, options: packing(bytes, level), finish }),
    decompressNow: (body, length) => inflateNow(ofRaw, body, length, { dictionary }),
    decompress: (body, length) => inflate(ofRaw, body, length, { dictionary }),
  }
}

/**
 * Deflate in the gzip format (RFC 1952), one member without optional fields. The member is taken apart here, as
 * Node's own reader joins members that follow each other.
 */
export const gzip: Method = {
  id: 1,
  levels,
  syncOutputBytes: zlibSyncOutputBytes,
  syncBytes,
  compressNow: (bytes, level) => gzipSync(bytes, options(bytes, level)),
  compress: (bytes, level) => packOnPool(createGzip, { bytes, options: options(bytes, level), finish }),
  decompressNow(body, length) {
    const value = inflateNow(ofRaw, memberOf(body), length)
    checkTrailer(body, crc32(value), length)
    return value
  },
  async decompress(body, length) {
    const value = await inflate(ofRaw, memberOf(body), length)
    checkTrailer(body, await checksum(value), length)
    return value
  },
}

const headerBytes = 10
const trailerBytes = 8

/** The deflate stream of a gzip member. */
function memberOf(body: Bytes): Bytes {
  const isPlain = body[0] === 0x1f && body[1] === 0x8b && body[2] === 8 && body[3] === 0
  if (!isPlain || body.length < headerBytes + trailerBytes) throw corrupt('is not a single gzip member')
  return body.subarray(headerBytes, body.length - trailerBytes)
}

function checkTrailer(body: Bytes, sum: number, length: number): void {
  const trailer = new DataView(body.buffer, body.byteOffset + body.length - trailerBytes)
  if (trailer.getUint32(0, true) === sum && trailer.getUint32(4, true) === length) return
  throw corrupt('does not match its checksum')
}

const sliceBytes = 1_048_576

/** CRC-32 at 0.15 ms a turn of the event loop. */
async function checksum(value: Bytes): Promise<number> {
  let sum = 0
  for (let i = 0; i < value.length; i += sliceBytes) {
    if (i > 0) await nextTurn()
    sum = crc32(value.subarray(i, i + sliceBytes), sum)
  }
  return sum
}
