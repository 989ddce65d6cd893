import type { Bytes } from '@unikv/core'
import { requirePackage } from '@unikv/core/adapter'
import { bufferOf, checkLength, corrupt, type Method } from '../engine.ts'
import { once } from '../once.ts'

/** The used part of the package `lz4-napi`. Its blocks have their value's length in front, 4 bytes, little-endian. */
interface Lz4 {
  readonly compressSync: (data: Buffer) => Buffer
  readonly compress: (data: Buffer) => Promise<Buffer>
  readonly uncompressSync: (data: Buffer) => Buffer
  readonly uncompress: (data: Buffer) => Promise<Buffer>
}

const load = once(() => requirePackage<Lz4>('lz4-napi', import.meta.url, 'lz4-napi@2.10.0'))

/**
 * The LZ4 block format, by the package `lz4-napi`.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it cannot be loaded
 */
export function lz4(): Method {
  const { compressSync, compress, uncompressSync, uncompress } = load()
  return {
    id: 5,
    levels: undefined,
    syncOutputBytes: 131_072,
    syncBytes: () => 32_768,
    compressNow: (bytes) => blockOf(compressSync(bufferOf(bytes))),
    compress: async (bytes) => blockOf(await compress(bufferOf(bytes))),
    decompressNow: (body, length) => checkLength(uncompressSync(sized(body, length)), length),
    decompress: async (body, length) => checkLength(await uncompress(sized(body, length)), length),
  }
}

const sizeBytes = 4

/** No byte of a block stands for more than 255 bytes of its value. */
const maxRatio = 255

function blockOf(sizedBlock: Buffer): Bytes {
  return sizedBlock.subarray(sizeBytes)
}

/** The package makes room for the length in front: that of the frame, if the block can be believed to fill it. */
function sized(body: Bytes, length: number): Buffer {
  if (length > maxRatio * body.length) throw corrupt('declares a length that its block cannot fill')
  const block = Buffer.allocUnsafe(sizeBytes + body.length)
  block.writeUInt32LE(length)
  block.set(body, sizeBytes)
  return block
}
