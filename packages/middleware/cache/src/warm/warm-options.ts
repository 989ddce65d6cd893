import { type AnyStore, type Bytes, compose, type Layer, layer, type Store, StoreError } from '@unikv/core'
import {
  checkFactoryOptions,
  checkMs,
  checkName,
  checkOneOf,
  internalKey,
  keyBytes,
  namespacePrefix,
  type OptionNames,
} from '@unikv/core/adapter'
import { structured } from '@unikv/core/structured'
import { machineUptime, type Uptime } from './uptime.ts'

/** Where the hottest part of a cache in this process outlives it. All durations are milliseconds. */
export interface WarmOptions {
  /** Any store of bytes, in layers if need be (`compose(file(…), [encryption(…)])`). Closed with the stack. */
  readonly store: AnyStore
  /**
   * Where it lies in that store. Each process that saves needs its own. Take another one when
   * what the values mean changes. @default `warm.`, and what tells the dataset of the stack from others
   */
  readonly namespace?: string | undefined
  /**
   * How values become bytes; what it does not give back as it was is not saved.
   *
   * @default JSON for the values that it gives back so, structured() for the others
   */
  readonly codec?: Layer<Bytes, unknown, unknown, unknown> | undefined
  /** Most bytes that are saved, and that are loaded. @default 16 Mi */
  readonly maxBytes?: number | undefined
  /** Entries saved, or last known to be fresh, longer ago than this are not loaded. @default 86,400,000, a day */
  readonly maxAgeMs?: number | undefined
  /** Longest load, and longest save; what is done by then counts. @default 5,000 */
  readonly timeoutMs?: number | undefined
  /** Save so often, too. @default when the stack is closed, and by `save()` alone */
  readonly everyMs?: number | undefined
  /**
   * The state of entries after a restart. `'stale'`: no longer fresh, so they are revalidated, or stand in for a store that
   * fails, as `staleIfErrorMs` says. `'fresh'`: as fresh as they would be if the process had gone on; needs a finite
   * `freshForMs`, within which nothing is seen of what others wrote meanwhile, nor of what this process wrote after it last
   * saved, if it was killed or the save at `close` failed.
   *
   * @default 'stale'
   */
  readonly resume?: 'stale' | 'fresh' | undefined
  /** Say so if plain text of a sealed store may be saved in a store that is not sealed. */
  readonly plaintext?: 'allowed' | undefined
  /** Tells time over restarts, whatever is done to the wall clock. @default the boot of this machine, on Linux */
  readonly uptime?: Uptime | undefined
}

/** Resolved settings of a warm restart. */
export interface WarmSettings {
  readonly store: Store<Bytes>
  /** `undefined`: of the dataset of the stack. */
  readonly namespace: string | undefined
  readonly codec: Layer<Bytes, unknown, unknown, unknown>
  /** Whether values may be JSON instead, where that gives them back as they were. */
  readonly takesJson: boolean
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly timeoutMs: number
  readonly everyMs: number | undefined
  readonly resume: 'stale' | 'fresh'
  readonly plaintext: 'allowed' | undefined
  readonly uptime: Uptime
}

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

const optionNames: OptionNames<WarmOptions> = {
  store: true,
  namespace: true,
  codec: true,
  maxBytes: true,
  maxAgeMs: true,
  timeoutMs: true,
  everyMs: true,
  resume: true,
  plaintext: true,
  uptime: true,
}

/** Check the options and fill in the defaults. `freshForMs` is that of the cache. */
export function warmSettings(options: WarmOptions, freshForMs: number): WarmSettings {
  checkFactoryOptions('warm of cache', options, optionNames)
  const settings = {
    store: compose(options.store, [ofBytes] as never) as Store<Bytes>,
    namespace: options.namespace,
    codec: options.codec ?? structured<unknown>(),
    takesJson: options.codec === undefined,
    maxBytes: options.maxBytes ?? 16 * 1024 * 1024,
    maxAgeMs: options.maxAgeMs ?? 86_400_000,
    timeoutMs: options.timeoutMs ?? 5_000,
    everyMs: options.everyMs,
    resume: options.resume ?? 'stale',
    plaintext: options.plaintext,
    uptime: options.uptime ?? machineUptime(),
  }
  const { maxBytes, maxAgeMs, timeoutMs, everyMs, resume } = settings
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw invalid('maxBytes must be a whole number above 0.')
  checkMs({ maxAgeMs, timeoutMs, everyMs })
  if (!['stale', 'fresh'].includes(resume)) throw invalid("resume must be 'stale' or 'fresh'.")
  if (resume === 'fresh' && freshForMs === Number.POSITIVE_INFINITY)
    throw invalid(
      "resume: 'fresh' needs a finite freshForMs, as nobody knows what was written while the process was away.",
    )
  if (typeof Object(settings.codec).plan !== 'object')
    throw invalid('codec must be a codec, such as json() or structured().')
  if (typeof settings.uptime !== 'function') throw invalid('uptime must be a function.')
  checkName('warm: namespace', settings.namespace)
  checkOneOf('warm: plaintext', settings.plaintext, ['allowed'])
  checkStore(settings)
  return settings
}

/** As long as one by default. */
const longestOwn = `warm.${'x'.repeat(11)}`

function checkStore({ store, namespace = longestOwn, codec }: WarmSettings): void {
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
