import { type Awaitable, type Bytes, isPromise, isStoreError, StoreError } from '@unikv/core'
import { any, flag, type OptionsOf, readOptions } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { type Algorithm, levelOf, methodOf, methodOfFrame, storedId } from './algorithms.ts'
import { Dictionaries, named } from './dictionary/dictionary.ts'
import { corrupt, type Method } from './engine.ts'
import { maxFramedBytes, readFrame, writeFrame } from './frame.ts'
import { onKeptCopy, onOwnCopy } from './own-copy.ts'

const decompressTable = {
  /** Longest value, written or read: what one small frame can grow to in memory. @default 64 Mi */
  maxOutputBytes: any<number>(),
  /**
   * Whether values whose work would take more than about 0.2 ms go to the thread pool, and so answer with a
   * promise. `false`: everything on the calling thread, at once.
   *
   * @default true
   */
  threads: flag(true),
  /** Dictionaries that records may name, beside the one for writing: at most 16. */
  dictionaries: any<readonly Bytes[]>(),
}

const table = {
  /** @default 'gzip' */
  algorithm: any<Algorithm>(),
  /** Level of the algorithm: gzip and deflate 1 to 9, brotli 0 to 11, zstd 1 to 19; lz4 and snappy none. @default 6, 4 and 3 */
  level: any<number>(),
  /** Values shorter than this are stored as they are. @default 128, with a dictionary 32 */
  minBytes: any<number>(),
  /**
   * A dictionary of content that values share, for zstd and deflate: see `trainDictionary`. 1 byte to 128 KiB. Without it, or one
   * of `dictionaries` that is the same, the records cannot be read again.
   */
  dictionary: any<Bytes>(),
}

export const compressTable = { ...decompressTable, ...table }

/** How values are compressed. */
export interface CompressOptions extends DecompressOptions, OptionsOf<typeof table> {}

/** How frames are read. */
export interface DecompressOptions extends OptionsOf<typeof decompressTable> {}

/**
 * Compress bytes, without any store. The answer is a frame that `decompress` reads, a few bytes longer than the
 * value at most. Small values answer at once, large ones with a promise.
 *
 * @throws {StoreError} `INVALID_CONFIG` (also if a package is missing: the message tells how to install it),
 * `INVALID_VALUE`, `VALUE_TOO_LARGE`
 */
export function compress(bytes: Bytes, options: CompressOptions = {}): Awaitable<Bytes> {
  return compressor(readOptions('compress', compressTable, options))(bytes)
}

/**
 * The value of a frame, without any store. Small values answer at once, large ones with a promise.
 *
 * @throws {StoreError} `CORRUPT` for what `compress` does not make, `VALUE_TOO_LARGE` for a value over
 * `maxOutputBytes`, `INVALID_CONFIG` for a bad option, a missing package or an unknown dictionary
 */
export function decompress(frame: Bytes, options: DecompressOptions = {}): Awaitable<Bytes> {
  return decompressor(readOptions('decompress', decompressTable, options))(frame)
}

/** `compress` with its options resolved once. */
export function compressor(options: CompressOptions): (bytes: Bytes) => Awaitable<Bytes> {
  const dictionary = options.dictionary === undefined ? undefined : named(options.dictionary)
  const { algorithm = 'gzip', minBytes = dictionary === undefined ? 128 : 32, threads } = options
  const method = methodOf(algorithm, dictionary)
  const level = levelOf(method, options.level)
  const max = maxOutputOf(options)
  if (!(Number.isFinite(minBytes) && minBytes >= 0))
    throw new StoreError('INVALID_CONFIG', 'minBytes must be a number of bytes.')
  const syncBytes = threads === false ? Number.POSITIVE_INFINITY : method.syncBytes(level)
  const onCopy = method.sendsMemory === true ? onOwnCopy : onKeptCopy
  return (bytes) => {
    checkValue(bytes, max)
    if (bytes.length < minBytes) return stored(bytes)
    if (bytes.length <= syncBytes) return smaller(bytes, method.compressNow(bytes, level), method)
    // The pool reads while the caller goes on: it gets bytes that the caller cannot change.
    return onCopy(bytes, async (copy) => smaller(copy, await method.compress(copy, level), method))
  }
}

/** `decompress` with its options resolved once. */
export function decompressor(options: CompressOptions): (frame: Bytes) => Awaitable<Bytes> {
  const max = maxOutputOf(options)
  const { dictionary, dictionaries = [], threads } = options
  const known = new Dictionaries(dictionary === undefined ? dictionaries : [dictionary, ...dictionaries])
  return (bytes) => {
    checkBytes(bytes)
    const { algorithm, length, body } = readFrame(bytes)
    if (length > max) throw tooLarge(length, max)
    if (algorithm === storedId) return body
    const method = methodOfFrame(algorithm, body, known)
    const isAtOnce = threads === false || length <= method.syncOutputBytes
    return undamaged(() => (isAtOnce ? method.decompressNow(body, length) : method.decompress(body, length)))
  }
}

/** Longest value of these options. */
export function maxOutputOf({ maxOutputBytes = 67_108_864 }: DecompressOptions): number {
  if (Number.isFinite(maxOutputBytes) && maxOutputBytes > 0 && maxOutputBytes <= maxFramedBytes)
    return maxOutputBytes
  throw new StoreError(
    'INVALID_CONFIG',
    `maxOutputBytes must be a number of bytes from 1 to ${maxFramedBytes}.`,
  )
}

function stored(value: Bytes): Bytes {
  return writeFrame({ algorithm: storedId, length: value.length, body: value })
}

function smaller(value: Bytes, body: Bytes, { id }: Method): Bytes {
  return body.length < value.length
    ? writeFrame({ algorithm: id, length: value.length, body })
    : stored(value)
}

/** The work's answer; any error of the library says that the input is damaged. */
function undamaged(work: () => Awaitable<Bytes>): Awaitable<Bytes> {
  try {
    const answer = work()
    return isPromise(answer) ? answer.catch(throwCorrupt) : answer
  } catch (error) {
    return throwCorrupt(error)
  }
}

function throwCorrupt(error: unknown): never {
  throw isStoreError(error) ? error : corrupt('cannot be decompressed', error)
}

function checkValue(value: unknown, max: number): asserts value is Bytes {
  checkBytes(value)
  if (value.length > max) throw tooLarge(value.length, max)
}

function checkBytes(value: unknown): asserts value is Bytes {
  if (isBytes(value)) return
  throw new StoreError(
    'INVALID_VALUE',
    'Compression needs bytes (Uint8Array). Put a codec above it, such as json().',
  )
}

function tooLarge(length: number, max: number): StoreError {
  return new StoreError('VALUE_TOO_LARGE', `The value has ${length} bytes; maxOutputBytes allows ${max}.`)
}
