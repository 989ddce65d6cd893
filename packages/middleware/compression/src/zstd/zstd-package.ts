import { type Bytes, StoreError } from '@unikv/core'
import { bufferOf, checkLength, type Method } from '../engine.ts'
import { newZstdInstance, type ZstdInstance, zstdPackage } from './zstd-instance.ts'
import { runOnThread } from './zstd-threads.ts'

/** Its memory ends at 2 GiB, for a value, its frame and all that is between. */
const maxBytes = 268_435_456

let instance: ZstdInstance | undefined

/** Compressed to see whether an instance does what it should. */
const sample: Bytes = Buffer.from('what an instance gives back is what it was given. '.repeat(4))

/**
 * Zstandard by the package `@bokuweb/zstd-wasm`, and its own threads. Its output is decompressed and compared
 * before it is returned: a memory that was damaged, by any cause, is replaced instead of believed.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it cannot be loaded
 */
export function packagedZstd(dictionary: Buffer | undefined): Method {
  const { path } = zstdPackage()
  instance ??= newZstdInstance()
  return {
    id: 4,
    levels: { min: 1, max: 19, default: 3 },
    syncOutputBytes: 65_536,
    sendsMemory: true,
    syncBytes,
    compressNow: (bytes, level) => {
      checkRoom(bytes.length)
      return checkedFrame(bytes, level, dictionary) ?? checkedAnew(bytes, level, dictionary)
    },
    compress: async (bytes, level) => {
      checkRoom(bytes.length)
      return bufferOf(await runOnThread(path, { verb: 'compress', bytes, dictionary, level }))
    },
    decompressNow: (body, length) => {
      checkRoom(length)
      try {
        return expanded(body, length, dictionary)
      } catch (error) {
        if (checkedFrame(sample, 3, undefined) !== undefined) throw error
        instance = newZstdInstance()
        return expanded(body, length, dictionary)
      }
    },
    decompress: async (body, length) => {
      checkRoom(length)
      const value = await runOnThread(path, { verb: 'decompress', bytes: body, dictionary, length })
      return checkLength(bufferOf(value), length)
    },
  }
}

/** The frame of a value, if it is one. */
function checkedFrame(bytes: Bytes, level: number, dictionary: Buffer | undefined): Buffer | undefined {
  try {
    const frame = squeezed(bytes, level, dictionary)
    return expanded(frame, bytes.length, dictionary).equals(bytes) ? frame : undefined
  } catch {
    return undefined
  }
}

function checkedAnew(bytes: Bytes, level: number, dictionary: Buffer | undefined): Buffer {
  instance = newZstdInstance()
  const frame = checkedFrame(bytes, level, dictionary)
  if (frame !== undefined) return frame
  throw new StoreError('UNAVAILABLE', 'zstd could not compress the value; nothing was written. Try again.')
}

function squeezed(bytes: Bytes, level: number, dictionary: Buffer | undefined): Buffer {
  const { zstd, compressing } = instance as ZstdInstance
  if (dictionary === undefined) return bufferOf(zstd.compress(bytes, level))
  return bufferOf(zstd.compressUsingDict(compressing, bytes, dictionary, level))
}

function expanded(body: Bytes, length: number, dictionary: Buffer | undefined): Buffer {
  const { zstd, decompressing } = instance as ZstdInstance
  const room = { defaultHeapSize: length }
  if (dictionary === undefined) return checkLength(bufferOf(zstd.decompress(body, room)), length) as Buffer
  return checkLength(
    bufferOf(zstd.decompressUsingDict(decompressing, body, dictionary, room)),
    length,
  ) as Buffer
}

function syncBytes(level: number): number {
  if (level <= 3) return 8192
  return level <= 6 ? 2048 : 0
}

function checkRoom(length: number): void {
  if (length <= maxBytes) return
  throw new StoreError(
    'VALUE_TOO_LARGE',
    `The value has ${length} bytes; zstd on this runtime allows ${maxBytes}. Use Node 22.15 or newer.`,
  )
}
