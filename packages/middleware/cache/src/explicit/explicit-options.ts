import { type AnyLayer, type Bytes, type Json, json, type Layer, StoreError } from '@unikv/core'
import {
  any,
  checkFactoryOptions,
  checkMs,
  checkOptions,
  func,
  heard,
  ms,
  type OptionNames,
  type OptionsOf,
  settingsBy,
} from '@unikv/core/adapter'
import type { Structured } from '@unikv/core/structured'
import type { EntryOptions, FreshFor, RemovalCause } from '../entry-options.ts'
import type { VersionedFacts } from '../loaded.ts'
import type { Freshness } from '../loads/loading.ts'
import {
  type ObjectCacheOptions,
  type ObjectCacheSettings,
  objectCacheSettings,
  objectCacheTable,
} from '../object-cache-options.ts'
import { type StoreCacheOptions, storeCacheTable, storeFreshForMs } from '../store-cache-options.ts'
import { checkTags } from '../tags/tag-names.ts'
import type { TagsOf } from '../tags/tagging.ts'

/** The second tier of an explicit cache: any store of bytes, with the options of `cache({ store })`. */
export interface BelowOptions<V> extends Omit<StoreCacheOptions, 'onWrite'> {
  /** Between values and bytes: a codec of core, with a schema of `V` if it has one, or your own. @default json() */
  readonly codec?:
    | Layer<Bytes, V, unknown, unknown>
    | Layer<Bytes, Json, unknown, unknown>
    | Layer<Bytes, Structured, unknown, unknown>
    | undefined
}

const table = {
  /**
   * How long an entry is answered without asking, or a function that says so of each; calls and loaders go before it.
   * @default 60,000; with `below` as long as its records are fresh
   */
  freshForMs: any<number | FreshFor>(),
  /** Whether an entry is kept in this process. @default all */
  keepIf: any<EntryOptions['keepIf']>(),
  /** Told of each entry that is gone in this process, soon afterwards. Errors that it throws are ignored. */
  onRemove: any<EntryOptions['onRemove']>(),
  /** A second tier in another store. Without it the cache is in this process alone. */
  below: any<BelowOptions<never>>(),
  /**
   * Tags of each entry, from its key and value (`undefined`: absent), with those that calls and loaders tell. With `below` say
   * `below.tags`, from the key alone, instead: they are those of both tiers.
   * If it throws, or does not return a list of tags, the entry is answered and not kept.
   */
  tags: any<TagsOf>(),
  /** Longest wait of a call that names none, in milliseconds. @default 5000 */
  timeoutMs: ms(5_000),
  /** How long `close` waits for calls under way, in milliseconds. @default 5000 */
  graceMs: ms(5_000),
  /**
   * For which errors of a loader a stale entry stands in, within `staleIfErrorMs`. Not asked about a `StoreError`, whose
   * code tells: `UNAVAILABLE`, `OVERLOADED` and `TIMEOUT`.
   *
   * @default all
   */
  staleOn: func<(error: unknown) => boolean>(),
}

/** The types that follow from those of the values. */
interface Typed<V> {
  freshForMs: number | ((key: string, value: V) => number)
  keepIf: (key: string, value: V | undefined) => boolean
  onRemove: (key: string, value: V | undefined, cause: RemovalCause) => unknown
  below: BelowOptions<V>
  tags: (key: string, value: V | undefined) => readonly string[]
}

/** Settings of an explicit cache: those of a cache in this process, and more. */
export interface CacheOptions<V>
  extends Omit<ObjectCacheOptions, 'store' | 'onWrite' | 'warm' | keyof typeof table>,
    OptionsOf<typeof table, Typed<V>> {}

/** Settings of one call that may load. */
export interface CachedOptions extends Freshness {
  /** How long what is loaded is answered without asking. In the second tier no longer than its own `freshForMs`. @default of the cache */
  readonly freshForMs?: number | undefined
  /** How long *absent* is answered without asking. @default of the cache */
  readonly absentForMs?: number | undefined
  /** Longest wait of this caller, in milliseconds. @default of the cache */
  readonly timeoutMs?: number | undefined
  /** Ends the wait of this caller alone. */
  readonly signal?: AbortSignal | undefined
  /** Tags of what this call loads, by which `invalidateTags` voids it with others: at most 64, of 1 to 512 characters. */
  readonly tags?: readonly string[] | undefined
}

/** Facts about a value that is put. */
export type PutOptions = VersionedFacts

/** Resolved settings of an explicit cache. */
export interface CacheSettings {
  readonly near: ObjectCacheSettings
  readonly below: { readonly options: StoreCacheOptions; readonly codec: AnyLayer } | undefined
  readonly timeoutMs: number
  readonly graceMs: number
}

const ownTable = { ...without(objectCacheTable, 'onWrite', 'warm', 'store'), ...table }

/** Check the options and fill in the defaults. */
export function cacheSettings<V>(options: CacheOptions<V>): CacheSettings {
  if ((Object(options) as ObjectCacheOptions).warm !== undefined)
    throw misfit(
      'Only a cache() in a stack outlives its process by warm. Give createCache a second tier: below.',
    )
  checkFactoryOptions('createCache', options, ownTable)
  const { timeoutMs, graceMs, staleOn = () => true } = settingsBy('createCache', table, options)
  const { below } = options
  // Other processes change what is below: by default it is believed for no longer than it is fresh there.
  const ofBelow = options.localTier === 'validated' ? undefined : below
  const freshForMs = (options.freshForMs ?? (ofBelow && (ofBelow.freshForMs ?? storeFreshForMs))) as
    | number
    | FreshFor
    | undefined
  checkFactoryOptions('below of createCache', below, belowNames)
  if (below !== undefined && options.tags !== undefined) throw untaggable('INVALID_CONFIG')
  const tags = (below?.tags ?? options.tags) as TagsOf | undefined
  // Values are what this cache holds.
  const { keepIf, onRemove } = options as Pick<EntryOptions, 'keepIf' | 'onRemove'>
  const near = objectCacheSettings(
    { ...options, keepIf, onRemove, tags, store: undefined, freshForMs },
    'createCache',
  )
  return {
    near: { ...near, staleOn: safely(staleOn), mayHandOut: true },
    below: below && belowOf(below, near.clock),
    timeoutMs,
    graceMs,
  }
}

const callNames: OptionNames<CachedOptions> = {
  freshForMs: true,
  absentForMs: true,
  timeoutMs: true,
  signal: true,
  tags: true,
}

const belowNames = { ...without(storeCacheTable, 'onWrite'), codec: true }

function without<T extends object, K extends keyof T>(names: T, ...left: readonly K[]): Omit<T, K> {
  return Object.fromEntries(
    Object.entries(names).filter(([name]) => !left.includes(name as K)),
  ) as unknown as Omit<T, K>
}

/** Check the settings of a call; `hasBelow`: the cache has a second tier. */
export function checkCall(options: CachedOptions, hasBelow: boolean): void {
  checkOptions('cached', options, callNames, 'INVALID_ARGUMENT', { ttl: 'freshForMs', ttlms: 'freshForMs' })
  const { freshForMs, absentForMs, timeoutMs, tags } = options
  checkMs({ freshForMs, absentForMs }, { least: 0, code: 'INVALID_ARGUMENT' })
  checkMs({ timeoutMs }, { code: 'INVALID_ARGUMENT' })
  checkTags(tags)
  checkTagged(options, hasBelow)
}

/** @throws {StoreError} `INVALID_ARGUMENT` for tags that a second tier could not know */
export function checkTagged({ tags }: Pick<CachedOptions, 'tags'>, hasBelow: boolean): void {
  if (tags !== undefined && hasBelow) throw untaggable('INVALID_ARGUMENT')
}

function belowOf<V>(
  { codec = json(), ...options }: BelowOptions<V>,
  clock: () => number,
): CacheSettings['below'] {
  return { options: { clock, ...options }, codec }
}

/** A function that throws has not said that a stale entry may stand in. */
function safely(staleOn: (error: unknown) => boolean): (error: unknown) => boolean {
  return (error) => {
    try {
      return heard(staleOn(error))
    } catch {
      return false
    }
  }
}

/** The error for tags that a reader of a record in a store could not know before reading it. */
export function untaggable(code: 'INVALID_CONFIG' | 'INVALID_ARGUMENT'): StoreError {
  return new StoreError(
    code,
    'In a cache with a second tier tags follow from the key alone: say below: { tags: (key) => [...] }.',
  )
}

function misfit(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
