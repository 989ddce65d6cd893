import {
  type Awaitable,
  andThen,
  type Bytes,
  type Capabilities,
  type Entry,
  isEntry,
  isPromise,
  isStoreError,
  type Layer,
  layer,
  type Mutation,
  mapPages,
  type Page,
  type Read,
  type ReadResult,
  type ScanEntry,
  type Store,
  StoreError,
  writePrepared,
} from '@unikv/core'
import { any, flag, type OptionsOf, readOptions } from '@unikv/core/adapter'
import { withinBudget } from './call-budget.ts'
import { type CompressOptions, compressor, compressTable, decompressor, maxOutputOf } from './compress.ts'
import { frameBytes, isFrame, lengthIn } from './frame.ts'
import { each } from './lanes.ts'

const table = {
  /**
   * Compress although the values are encrypted below. Then the length of a record tells something about its
   * content: an attacker that can put text beside a secret in one value, and see how long the records are,
   * learns the secret letter by letter.
   *
   * @default false
   */
  withEncryption: flag(false),
  /**
   * Longest that all values of one call or page may be together, in bytes; more than this are `VALUE_TOO_LARGE`, the largest
   * first. Values that grow to less than 32 times of what the store gave for them are never too much.
   *
   * @default 4 × maxOutputBytes
   */
  maxCallBytes: any<number>(),
  /**
   * Take records that were there before the layer for values; else they are `CORRUPT`. For the time of a move: see the README.
   *
   * @default false
   */
  acceptPlain: flag(false),
}

/** Settings of the compression layer. */
export interface CompressionOptions extends CompressOptions, OptionsOf<typeof table> {}

/** The effect of compression on capabilities: the store below can no longer look inside values. */
export interface CompressionCapabilities {
  readonly increment: false
  readonly documents: false
  readonly deltas: false
}

/** Large values go through the thread pool. */
export interface ThreadedCapabilities extends CompressionCapabilities {
  readonly sync: 'none'
}

type Transform = (bytes: Bytes) => Awaitable<Bytes>

/** How records are unpacked. */
interface Unpacker {
  readonly unpack: Transform
  readonly maxOutputBytes: number
  readonly maxCallBytes: number
  /** The cost of an item; without it all of them are unpacked in one turn of the event loop. */
  readonly weightOf: ((result: ReadResult<Bytes>) => number) | undefined
}

/**
 * Values compressed, between the codec and the store.
 *
 * ```ts
 * keyValue(store, [json(), compression({ algorithm: 'brotli' })])
 * ```
 *
 * Values that do not get smaller are stored as they are. Records written with other options stay readable. With
 * `threads: false` it answers at once wherever the store does; else only for values that take no time.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, and at composing over a store that is sealed (unless
 * `withEncryption`) or compressed already, and for an algorithm whose package is missing
 */
export function compression(
  options: CompressionOptions & { readonly threads: false },
): Layer<Bytes, Bytes, CompressionCapabilities>
export function compression(options?: CompressionOptions): Layer<Bytes, Bytes, ThreadedCapabilities>
export function compression(
  given: CompressionOptions = {},
): Layer<Bytes, Bytes, CompressionCapabilities | ThreadedCapabilities> {
  const options = readOptions('compression', { ...compressTable, ...table }, given)
  const pack = compressor(options)
  const weighs = options.threads
  const unpack = unpackerOf(options)
  return layer<Bytes, Bytes, CompressionCapabilities | ThreadedCapabilities>('compression', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: (inner) => narrowed(inner, options),
    wrap: (inner) => {
      checkBelow(inner, options)
      return {
        read: (reads, call) =>
          andThen(inner.read(reads, call), (results) => unpackResults(results, reads, unpack)),
        write: (mutations, call) =>
          andThen(
            each(mutations, (mutation) => packMutation(mutation, pack), weighs ? packWeight : undefined),
            (prepared) => writePrepared(inner, prepared, call),
          ),
        scan: (range, call) =>
          mapPages(inner.scan(range, call), (page) => unpackPage(page, range.values ? unpack : undefined)),
      }
    },
  })
}

function narrowed(inner: Capabilities, options: CompressionOptions): Partial<Capabilities> {
  const maxValueBytes = Math.max(0, Math.min(inner.maxValueBytes - frameBytes, maxOutputOf(options)))
  const sync = options.threads === false ? inner.sync : 'none'
  const holds = [...(inner.holds ?? []), 'compressed'] as const
  return { increment: false, documents: false, deltas: false, holds, maxValueBytes, sync }
}

function checkBelow(inner: Store<Bytes>, { withEncryption }: CompressionOptions): void {
  const { capabilities, name } = inner
  if (capabilities.holds?.includes('compressed') === true) {
    const twice = 'The values are compressed already: leave one compression out.'
    throw new StoreError('INVALID_CONFIG', twice, { store: name })
  }
  if (!capabilities.sealed || withEncryption === true) return
  const message =
    'Compression over encryption is refused by default: the length of a record then tells about its content. If no value holds both a secret and text of others, ask for it: compression({ withEncryption: true }).'
  throw new StoreError('INVALID_CONFIG', message, { store: name })
}

function unpackerOf(options: CompressionOptions): Unpacker {
  const maxOutputBytes = maxOutputOf(options)
  const { maxCallBytes = 4 * maxOutputBytes, acceptPlain = false, threads } = options
  if (!(typeof maxCallBytes === 'number' && maxCallBytes >= 1))
    throw new StoreError('INVALID_CONFIG', 'maxCallBytes must be a number of bytes, at least 1.')
  const strict = decompressor(options)
  const unpack: Transform = acceptPlain ? (record) => (isFrame(record) ? strict(record) : record) : strict
  return { unpack, maxOutputBytes, maxCallBytes, weightOf: threads === false ? undefined : unpackWeight }
}

/** A value that is stored as it is costs nothing. */
function unpackWeight(result: ReadResult<Bytes>): number {
  return isEntry(result) && isFrame(result.value) ? lengthIn(result.value) : 0
}

/** Compressing a byte takes a few times as long as decompressing one. */
function packWeight(mutation: Mutation<Bytes>): number {
  return mutation.type === 'set' ? 4 * mutation.value.length : 0
}

function unpackResults(
  results: readonly ReadResult<Bytes>[],
  reads: readonly Read[],
  unpacker: Unpacker,
): Awaitable<readonly ReadResult<Bytes>[]> {
  const headed = results.map((result, i) =>
    isEntry(result) && reads[i]?.head === true ? headOf(result) : result,
  )
  return unpackAll(headed, unpacker)
}

function unpackAll(
  results: readonly ReadResult<Bytes>[],
  unpacker: Unpacker,
): Awaitable<readonly ReadResult<Bytes>[]> {
  const { unpack, weightOf } = unpacker
  const unpacked = (result: ReadResult<Bytes>): Awaitable<ReadResult<Bytes>> =>
    isEntry(result) ? unpackEntry(result, unpack) : result
  return each(withinBudget(results, unpacker), unpacked, weightOf)
}

/** The value was not asked for: nothing to decompress. */
function headOf({ version, expiresAt, meta }: Entry<Bytes>): ReadResult<Bytes> {
  return { notModified: true, version, expiresAt, meta }
}

function unpackEntry(entry: Entry<Bytes>, unpack: Transform): Awaitable<Entry<Bytes> | StoreError> {
  return attempt(() => andThen(unpack(entry.value), (value) => ({ ...entry, value })))
}

function unpackPage(page: Page<Bytes>, unpacker: Unpacker | undefined): Awaitable<Page<Bytes>> {
  if (unpacker === undefined) return { ...page, entries: page.entries.map(({ key }) => ({ key })) }
  const found = page.entries.map(({ entry }) => entry)
  return andThen(unpackAll(found, unpacker), (unpacked) => ({
    ...page,
    entries: page.entries.map(({ key }, i) => ({ key, entry: unpacked[i] as ScanEntry<Bytes>['entry'] })),
  }))
}

function packMutation(mutation: Mutation<Bytes>, pack: Transform): Awaitable<Mutation<Bytes> | StoreError> {
  if (mutation.type === 'increment')
    return new StoreError('UNSUPPORTED', 'A compressed record cannot be incremented: use update.')
  if (mutation.type !== 'set') return mutation
  return attempt(() => andThen(pack(mutation.value), (value) => ({ ...mutation, value })))
}

/** The answer, or its error as the result of this one record. */
function attempt<T>(work: () => Awaitable<T>): Awaitable<T | StoreError> {
  try {
    const answer = work()
    return isPromise(answer) ? answer.catch(resultOf) : answer
  } catch (error) {
    return resultOf(error)
  }
}

function resultOf(error: unknown): StoreError {
  if (isStoreError(error)) return error
  throw error
}
