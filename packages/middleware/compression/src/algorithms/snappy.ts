import type { Bytes } from '@unikv/core'
import { requirePackage } from '@unikv/core/adapter'
import { checkLength, corrupt, type Method } from '../engine.ts'
import { once } from '../once.ts'

/** Memory that Node frees itself: foreign memory costs more than the copy. */
interface Copied {
  readonly copyOutputData: true
}

/** The parts of the package `snappy` that are used. */
interface Snappy {
  readonly compressSync: (data: Bytes, options: Copied) => Buffer
  readonly compress: (data: Bytes) => Promise<Buffer>
  readonly uncompressSync: (data: Bytes, options: Copied) => Buffer
  readonly uncompress: (data: Bytes) => Promise<Buffer>
}

const load = once(() => requirePackage<Snappy>('snappy', import.meta.url, 'snappy@7.4.3'))

/**
 * The raw format of Snappy, by the package `snappy`.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it cannot be loaded
 */
export function snappy(): Method {
  const { compressSync, compress, uncompressSync, uncompress } = load()
  const copied = { copyOutputData: true } as const
  return {
    id: 6,
    levels: undefined,
    syncOutputBytes: 131_072,
    syncBytes: () => 32_768,
    compressNow: (bytes) => compressSync(bytes, copied),
    compress: (bytes) => compress(bytes),
    decompressNow: (body, length) => checkLength(uncompressSync(checked(body, length), copied), length),
    decompress: async (body, length) => checkLength(await uncompress(checked(body, length)), length),
  }
}

/** The densest element copies 64 bytes and takes 3. */
const maxRatio = 22

/** The body, if the length in front of it, which the package makes room for, is that of the frame. */
function checked(body: Bytes, length: number): Bytes {
  if (length > maxRatio * body.length) throw corrupt('declares a length that its body cannot fill')
  let rest = length
  for (let i = 0; ; i++, rest >>>= 7) {
    if (body[i] !== (rest > 0x7f ? (rest & 0x7f) | 0x80 : rest))
      throw corrupt('declares another length than its body has')
    if (rest <= 0x7f) return body
  }
}
