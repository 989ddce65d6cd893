import { type AnyStore, type Bytes, compose, type Layer, layer, type Store, StoreError } from '@unikv/core'
import {
  func,
  internalKey,
  keyBytes,
  label,
  ms,
  namespacePrefix,
  needed,
  type OptionsOf,
  oneOf,
  readOptions,
  whole,
} from '@unikv/core/adapter'
import { structured } from '@unikv/core/structured'
import { machineUptime, type Uptime } from './uptime.ts'

type Codec = Layer<Bytes, unknown, unknown, unknown>

const table = {
  /** Any store of bytes, in layers if need be (`compose(file(…), [encryption(…)])`). Closed with the stack. */
  store: needed<AnyStore>(),
  /**
   * Where it lies in that store. Each process that saves needs its own. Take another one when
   * what the values mean changes. @default `warm.`, and what tells the dataset of the stack from others
   */
  namespace: label(undefined),
  /**
   * How values become bytes; what it does not give back as it was is not saved.
   *
   * @default JSON for the values that it gives back so, structured() for the others
   */
  codec: aCodec,
  /** Most bytes that are saved, and that are loaded. @default 16 Mi */
  maxBytes: whole(16_777_216),
  /** Entries saved, or last known to be fresh, longer ago than this are not loaded. @default 86,400,000, a day */
  maxAgeMs: ms(86_400_000),
  /** Longest load, and longest save; what is done by then counts. @default 5,000 */
  timeoutMs: ms(5_000),
  /** Save so often, too. @default when the stack is closed, and by `save()` alone */
  everyMs: ms(undefined),
  /**
   * The state of entries after a restart. `'stale'`: no longer fresh, so they are revalidated, or stand in for a store that
   * fails, as `staleIfErrorMs` says. `'fresh'`: as fresh as they would be if the process had gone on; needs a finite
   * `freshForMs`, within which nothing is seen of what others wrote meanwhile, nor of what this process wrote after it last
   * saved, if it was killed or the save at `close` failed.
   *
   * @default 'stale'
   */
  resume: oneOf('stale', ['stale', 'fresh']),
  /** Say so if plain text of a sealed store may be saved in a store that is not sealed. */
  plaintext: oneOf(undefined, ['allowed']),
  /** Tells time over restarts, also if the wall clock is set. @default the boot of this machine, on Linux */
  uptime: func<Uptime>(),
}

/** Where the hottest part of a cache in this process outlives it. All durations are milliseconds. */
export interface WarmOptions extends OptionsOf<typeof table> {}

/** Resolved settings of a warm restart. `namespace` is `undefined` where it is that of the dataset of the stack. */
export type WarmSettings = ReturnType<typeof warmSettings>

/** The same for one stack. */
export interface PlacedWarmSettings extends WarmSettings {
  readonly namespace: string
}

/** Most bytes of one record. */
const mostChunkBytes = 1_048_576
/** Room for a chunk with something in it, and for a manifest that tells of several. */
const leastValueBytes = 1_024
/** Fits the manifest. */
export const mostNameBytes = 255

/** Says, where a stack is made, what holds no bytes. */
const ofBytes: Layer<Bytes, Bytes> = layer('warm', { inner: 'bytes', outer: 'bytes', wrap: () => ({}) })

/** Check the options and fill in the defaults. `freshForMs` is that of the cache. */
export function warmSettings(options: WarmOptions, freshForMs: number) {
  const { codec, uptime = machineUptime(), ...given } = readOptions('warm of cache', table, options)
  if (given.resume === 'fresh' && freshForMs === Number.POSITIVE_INFINITY)
    throw invalid(
      "resume: 'fresh' needs a finite freshForMs, as writes while the process was away are not known.",
    )
  const settings = {
    ...given,
    store: compose(given.store, [ofBytes] as never) as Store<Bytes>,
    codec: codec ?? structured<unknown>(),
    /** Whether values may be JSON instead, where that gives them back as they were. */
    takesJson: codec === undefined,
    uptime,
  }
  checkStore(settings)
  return settings
}

function aCodec(codec: Codec | undefined): Codec | undefined {
  if (codec === undefined || typeof Object(codec).plan === 'object') return codec
  throw invalid('codec must be a codec, such as json() or structured().')
}

/** As long as one by default. */
const longestOwn = `warm.${'x'.repeat(11)}`

function checkStore({
  store,
  namespace = longestOwn,
  codec,
}: Pick<WarmSettings, 'store' | 'namespace' | 'codec'>): void {
  const { maxKeyBytes, maxValueBytes } = store.capabilities
  for (const [name, text] of Object.entries({ namespace, 'the name of the codec': codec.name }))
    if (keyBytes(text) > mostNameBytes) throw invalid(`${name} must have ${mostNameBytes} bytes or less.`)
  if (keyBytes(chunkKey(namespace, 1, 65_535)) > maxKeyBytes)
    throw invalid(`namespace is longer than ${store.name} allows. Use a shorter one.`)
  if (maxValueBytes < leastValueBytes)
    throw invalid(`${store.name} allows values of ${maxValueBytes} bytes; ${leastValueBytes} are needed.`)
}

/** Bytes of the records that are written to a store. */
export function chunkBytesOf({ store }: WarmSettings): number {
  return Math.min(mostChunkBytes, store.capabilities.maxValueBytes)
}

/** Key of the record that says what was saved last. */
export function manifestKey(namespace: string): string {
  return internalKey('marker', namespacePrefix([namespace]), 'warm')
}

/** Key of a part of what was saved. */
export function chunkKey(namespace: string, slot: number, index: number): string {
  return internalKey('chunk', namespacePrefix([namespace]), `warm ${slot} ${index}`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', `warm: ${message}`)
}
