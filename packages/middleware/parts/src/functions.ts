import { type Capabilities, type KeyValueBase, type SetOptions, StoreError, type Version } from '@unikv/core'
import {
  type ByteSource,
  checkOptions,
  keysOf,
  type OptionNames,
  type RecordStreams,
  type StreamedValue,
  type StreamRange,
  type StreamReadSettings,
  streamsOf,
} from '@unikv/core/adapter'

/** A KeyValue of bytes with keys of any kind. */
type OfBytes<K, C extends Capabilities = Capabilities> = Pick<
  KeyValueBase<K, Uint8Array, C>,
  'name' | 'capabilities' | '~types'
>

/** Settings of `readStream`. `timeoutMs` is the time of each call to the store, and not of the whole. */
export interface ReadStreamOptions extends StreamRange, Omit<StreamReadSettings, 'ifNotVersion'> {}

/** Settings of `writeStream`: those of `set`. `timeoutMs` is the time of each call to the store, and not of the whole. */
export interface WriteStreamOptions<C extends Capabilities = Capabilities> extends SetOptions<C> {}

const readNames: OptionNames<ReadStreamOptions> = {
  start: true,
  end: true,
  timeoutMs: true,
  signal: true,
  consistency: true,
}

const writeNames: OptionNames<WriteStreamOptions> = {
  ttlMs: true,
  expiresAt: true,
  ifVersion: true,
  timeoutMs: true,
  signal: true,
  consistency: true,
}

/**
 * Read a value as a stream, with a few parts in memory. The stack needs `parts()`; a value that is kept whole comes in one piece.
 *
 * ```ts
 * const found = await readStream(files, 'film.mp4')
 * if (found !== undefined) await pipeline(found.body, createWriteStream('film.mp4'))
 * ```
 *
 * The body fails with `UNAVAILABLE` if the value is replaced or deleted before its last part was read, and is never shorter without an error.
 *
 * @returns `undefined` if there is none
 * @throws {StoreError} `UNSUPPORTED` without the layer, `CORRUPT`, and what the stack throws
 */
export async function readStream<K>(
  kv: OfBytes<K>,
  key: K,
  options: ReadStreamOptions = {},
): Promise<StreamedValue | undefined> {
  checkOptions('readStream', options, readNames, 'INVALID_ARGUMENT')
  const found = await streamsFor('readStream', kv).read(keysOf(kv).canonical(key), options)
  return found as StreamedValue | undefined // nothing was said about a version
}

/**
 * Write a value from a stream, with a few parts in memory. It takes effect when the source has ended, or not at all.
 *
 * ```ts
 * await writeStream(files, 'film.mp4', createReadStream('film.mp4'), { ifVersion: null })
 * ```
 *
 * @param source is asked for more only as fast as the store takes it
 * @returns the version that the value now has
 * @throws {StoreError} `UNSUPPORTED` without the layer, `CONDITION_FAILED`, `ABORTED`, and what the stack throws; errors of the source as they are
 */
export async function writeStream<K, C extends Capabilities>(
  kv: OfBytes<K, C>,
  key: K,
  source: ByteSource,
  options: WriteStreamOptions<C> = {},
): Promise<Version | undefined> {
  checkOptions('writeStream', options, writeNames, 'INVALID_ARGUMENT')
  return streamsFor('writeStream', kv).write(keysOf(kv).canonical(key), source, options)
}

function streamsFor(operation: string, kv: Pick<OfBytes<never>, 'name' | 'capabilities'>): RecordStreams {
  const { streams, why } = streamsOf(kv)
  if (streams !== undefined) return streams
  throw new StoreError('UNSUPPORTED', `${operation} is not possible here. ${why}`, {
    operation,
    store: kv.name,
  })
}
