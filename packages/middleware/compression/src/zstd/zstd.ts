import type { Method } from '../engine.ts'
import { checkZstdFrame } from './zstd-frame.ts'
import { nativeZstd } from './zstd-native.ts'
import { packagedZstd } from './zstd-package.ts'

/**
 * Zstandard (RFC 8878): the runtime's own from Node 22.15 on (with a dictionary: 22.19), else the package
 * `@bokuweb/zstd-wasm`.
 *
 * @throws {StoreError} `INVALID_CONFIG` where neither is there
 */
export function zstd(dictionary?: Buffer): Method {
  const method = nativeZstd(dictionary) ?? packagedZstd(dictionary)
  const hasDictionary = dictionary !== undefined
  return {
    ...method,
    decompressNow: (body, length) => {
      checkZstdFrame(body, length, hasDictionary)
      return method.decompressNow(body, length)
    },
    decompress: async (body, length) => {
      checkZstdFrame(body, length, hasDictionary)
      return method.decompress(body, length)
    },
  }
}
