import type { ZlibOptions } from 'node:zlib'
import { type Bytes, StoreError } from '@unikv/core'
import { nextTick } from '@unikv/core/platform'

/** An algorithm as a frame names it, with what it costs. Both directions exist on this thread and on others. */
export interface Method {
  /** Its byte in a frame: part of the stored format. */
  readonly id: number
  /** `undefined`: the algorithm has none. */
  readonly levels: Levels | undefined
  /** Longest value that is decompressed within 0.2 ms, so on the calling thread. */
  readonly syncOutputBytes: number
  /** `true`: other threads are sent all memory behind the bytes, not only these. */
  readonly sendsMemory?: true
  /** Longest value that a level compresses within 0.2 ms, so on the calling thread. 0: none. */
  syncBytes(level: number): number
  compressNow(bytes: Bytes, level: number): Bytes
  /** The caller must not change the bytes meanwhile. */
  compress(bytes: Bytes, level: number): Promise<Bytes>
  /** The value of `length` bytes that is compressed in `body`; throws for anything else. */
  decompressNow(body: Bytes, length: number): Bytes
  /** As `decompressNow`, on another thread. */
  decompress(body: Bytes, length: number): Promise<Bytes>
}

/** Which levels an algorithm has. */
export interface Levels {
  readonly min: number
  readonly max: number
  readonly default: number
}

/** Longest value that `node:zlib` decompresses within 0.2 ms. */
export const zlibSyncOutputBytes = 65_536

/** The two forms of one function of `node:zlib`. */
export interface ZlibPair<Options> {
  readonly now: (bytes: Bytes, options: Options) => Bytes
  readonly later: (bytes: Bytes, options: Options, done: (error: Error | null, result: Bytes) => void) => void
}

/** The answer of `node:zlib` with `info: true`. */
interface Told {
  readonly buffer: Bytes
  /** `bytesWritten` counts what was read of the input. */
  readonly engine: { readonly bytesWritten: number }
}

/** A function of `node:zlib` on its thread pool. */
export function onPool<Options>(pair: ZlibPair<Options>, bytes: Bytes, options: Options): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    pair.later(bytes, options, (error, result) => (error === null ? resolve(result) : reject(error)))
  })
}

/** A compressor of `node:zlib` as a stream. */
interface Packer {
  once(event: 'error', listener: (error: Error) => void): unknown
  write(bytes: Bytes, done: () => void): unknown
  read(): Buffer | null
  close(): void
}

/**
 * Compress on the thread pool, as the functions of `node:zlib` do it, but that the end is asked for with the bytes: they
 * go to the pool once more for it, and join what comes. `finish` is what the library calls the end.
 */
export function packOnPool<O extends object>(
  create: (options: O & { readonly flush: number; readonly highWaterMark: number }) => Packer,
  { bytes, options, finish }: { readonly bytes: Bytes; readonly options: O; readonly finish: number },
): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const packer = create({ ...options, flush: finish, highWaterMark: Number.MAX_SAFE_INTEGER })
    packer.once('error', reject)
    packer.write(bytes, () => {
      const packed = packer.read()
      // within its own answer, a stream that is closed makes an error that no listener sees
      nextTick(() => packer.close())
      if (packed !== null) resolve(packed)
    })
  })
}

/** Decompress, and refuse another length than the one told, and anything behind the end. */
export function inflateNow<O extends Limits>(
  pair: ZlibPair<O>,
  body: Bytes,
  length: number,
  extra?: O,
): Bytes {
  return whole(pair.now(body, limits(body, length, extra)), body, length)
}

/** As `inflateNow`, on the thread pool. */
export async function inflate<O extends Limits>(
  pair: ZlibPair<O>,
  body: Bytes,
  length: number,
  extra?: O,
): Promise<Bytes> {
  return whole(await onPool(pair, body, limits(body, length, extra)), body, length)
}

type Limits = Pick<ZlibOptions, 'maxOutputLength' | 'chunkSize' | 'info'>

/**
 * Output stops at the length that the frame tells. It is one buffer of that length where the body can be
 * believed to fill it, as joining chunks costs more than checking them, and a byte more, as a full one is
 * answered by another way to the thread pool; a few bytes that promise much get 64 KiB at a time.
 */
function limits<O extends Limits>(body: Bytes, length: number, extra: O | undefined): O {
  const chunkSize = Math.max(64, Math.min(length + 1, Math.max(65_536, 32 * body.length)))
  return { ...extra, maxOutputLength: length, chunkSize, info: true } as O
}

function whole(result: Bytes, body: Bytes, length: number): Bytes {
  const { buffer, engine } = result as unknown as Told
  if (engine.bytesWritten !== body.length) throw notWhole()
  return checkLength(buffer, length)
}

/** The same bytes, as all methods give them. */
export function bufferOf({ buffer, byteOffset, length }: Bytes): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** The decompressed bytes, if they have the length that the frame tells. */
export function checkLength(value: Bytes, length: number): Bytes {
  if (value.length === length) return value
  throw notWhole()
}

function notWhole(): StoreError {
  return corrupt('does not hold exactly the value that it tells the length of')
}

/**
 * Size of the chunks that a compressor writes: one takes all, even of what does not get smaller, as every further
 * chunk is another way to the thread pool and back.
 */
export function compressorChunkBytes(bytes: Bytes): number {
  return bytes.length + (bytes.length >> 8) + 64
}

/** The error for bytes that this version cannot have written. */
export function corrupt(what: string, cause?: unknown): StoreError {
  const message = `The stored frame ${what}. It was damaged, or written without this layer or by a newer version.`
  return new StoreError('CORRUPT', message, cause === undefined ? {} : { cause })
}
