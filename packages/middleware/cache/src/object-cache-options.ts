import {
  any,
  background,
  checkedMs,
  func,
  label,
  ms,
  type OptionsOf,
  oneOf,
  ownClock,
  settingsBy,
  whole,
} from '@unikv/core/adapter'
import { agingClock } from '@unikv/core/platform'
import type { InvalidationBus, PubSub } from './bus/bus.ts'
import { pubSubBus } from './bus/pub-sub-bus.ts'
import { checkSoftTimeout, type FreshnessOptions, freshnessTable, fromNow, invalid } from './cache-options.ts'
import { type EntryOptions, entryTable, type FreshFor } from './entry-options.ts'
import { checkRenewal, renewalTable } from './loads/renewal-options.ts'
import type { CacheObject } from './object/cache-object.ts'
import { type PolicyFactory, type PolicyName, policies } from './policies/index.ts'
import { ownPolicy } from './policies/own-policy.ts'
import type { TagsOf } from './tags/tagging.ts'
import type { Share } from './values/sharing.ts'
import { type WarmOptions, warmSettings } from './warm/warm-options.ts'
import type { OnWrite } from './write-through.ts'

const table = {
  /**
   * How long an entry is answered without asking what lies below, from the moment at which it was asked for; or a function
   * that says so of each, from its key (without namespaces) and its value. Where that throws, or returns no time, the value is
   * answered and not kept. @default 60,000; `Infinity`: until it is written, evicted or expires
   */
  freshForMs: freshness,
  /**
   * How long an entry that is no longer fresh is kept, to be revalidated: the store is asked only whether the version changed.
   * Without effect over stores that do not declare `conditionalRead`. @default Infinity: until it is evicted
   */
  keepForMs: ms(Number.POSITIVE_INFINITY, fromNow),
  /**
   * How long after its freshness an entry is still the answer, marked stale, while it is renewed: at once, and by one load
   * for all. It takes `background`; without that the reader waits for the load.
   *
   * @default 0
   */
  staleWhileRevalidateMs: ms(0, fromNow),
  /**
   * How long after its freshness an entry is the answer, marked stale, where the store cannot be reached, is overloaded, or
   * does not answer before the call ends.
   *
   * @default 0
   */
  staleIfErrorMs: ms(0, fromNow),
  /**
   * How long a reader waits for the store before such an entry is the answer; the load goes on.
   *
   * @default Infinity: until shortly before the call ends
   */
  softTimeoutMs: ms(Number.POSITIVE_INFINITY, fromNow),
  /**
   * How long after a load that failed, or that took longer than `softTimeoutMs`, such an entry is answered at once and no
   * other load of its key is begun. It takes `staleIfErrorMs`.
   *
   * @default 0: each reader tries
   */
  staleRetryMs: ms(0, fromNow),
  /**
   * Takes work that goes on after the answer: `waitUntil` of a serverless platform, or `() => {}` in a process that lives
   * on. It never rejects.
   */
  background: background(),
  /**
   * `'validated'`: each hit asks what lies below whether the version is still the same, so that no other process can have
   * written unseen; over a cache in a store that is one small question to it. `freshForMs` is 0 then, and nothing is
   * answered stale. `'plain'`: hits do not ask.
   *
   * @default 'plain'
   */
  localTier: oneOf('plain', ['plain', 'validated']),
  /**
   * Tells of the writes of other processes: entries are then answered without asking only as long as it is certain that
   * nothing older than `maxStaleMs` was missed, and revalidated otherwise. A bus, or what `pubSubBus` makes one of.
   */
  bus: busOf,
  /** How old a value may be that is answered without asking, with `bus`. @default 1,000 */
  maxStaleMs: ms(undefined, { least: 10, most: 3_600_000 }),
  /**
   * Keep entries in an object of your own, such as an `LRUCache` of the package `lru-cache`: then its limits and its order
   * decide who makes room, and `maxEntries`, `maxBytes`, `policy`, `cost` and `warm` are refused. All other promises of this cache hold
   * there too. @default an own table within `maxEntries` and `maxBytes`
   */
  in: any<CacheObject>(),
  /** Most entries; `policy` says who makes room. @default 10,000 */
  maxEntries: whole(10_000),
  /** Most bytes: values by `sizeOf`, keys, and 272 for each entry. @default 64 Mi */
  maxBytes: whole(undefined),
  /** Eviction policy: a name, or your own. @default 's3-fifo' */
  policy: policyOf,
  /**
   * Cost of an entry for `gdsf`, and for a policy of your own: the `'same'` for each (most hits), its `'bytes'` (most
   * bytes from the cache), or its `'loadTime'` as measured (least waiting). @default 'same'
   */
  cost: oneOf('same', ['same', 'bytes', 'loadTime']),
  /** How one cached value serves many readers. @default 'freeze' */
  share: sharing,
  /** Bytes of a value. @default an estimate of its size in the heap, exact for bytes and strings */
  sizeOf: func<(value: unknown) => number>(),
  /**
   * Effect of an acknowledged `set` on the cache: nothing, so that the next read loads the key (`'around'`), or the value
   * that was written, if no other write of the key was under way in this process (`'through'`). All other writes leave
   * nothing. @default 'around'
   */
  onWrite: oneOf<OnWrite>('around', ['around', 'through']),
  /**
   * The tags of an entry, from its key (without namespaces) and its value (`undefined`: absent), by which
   * `invalidateTags` voids it with others: at most 64, of 1 to 512 characters. Asked once for each load. If it throws, or
   * does not return a list of tags, the entry is answered and not kept (`stats().refusals`).
   */
  tags: func<TagsOf>(),
  /** Name of the tier in `meta.tier` of results and in `stats`. @default 'memory' */
  tier: label('memory'),
  /** Monotonic clock in milliseconds, for freshness. @default one that goes on while the machine sleeps */
  monotonicClock: ownClock(agingClock),
  /** Save its hottest part, and load that back at the next start. For one stack. */
  warm: any<WarmOptions>(),
  store: any<undefined>(),
}

/** All options of this form of `cache`. */
export const objectCacheTable = { ...renewalTable, ...freshnessTable, ...entryTable, ...table }

/** Settings of a cache in this process. */
export interface ObjectCacheOptions extends FreshnessOptions, EntryOptions, OptionsOf<typeof table> {}

/** Resolved settings of a cache in this process. */
export type ObjectCacheSettings = ReturnType<typeof objectCacheSettings>

/** Writes of other processes are seen after this time at the latest. */
const defaultFreshForMs = 60_000

/** Check the options and fill in the defaults. */
export function objectCacheSettings(options: ObjectCacheOptions, whose: string = 'cache') {
  const { refreshAhead: beta, freshForMs, warm, ...given } = settingsBy(whose, objectCacheTable, options)
  const settings = {
    ...given,
    beta,
    freshFor: typeof freshForMs === 'function' ? freshForMs : undefined,
    /** Where no function says so. */
    freshForMs:
      typeof freshForMs === 'number' ? freshForMs : given.localTier === 'validated' ? 0 : defaultFreshForMs,
    in: inObject(options),
    maxBytes: given.maxBytes ?? (given.in === undefined ? 64 * 1024 * 1024 : Number.MAX_SAFE_INTEGER),
    maxStaleMs: given.maxStaleMs ?? 1_000,
    /** Whether a stale entry stands in for an error that is not a `StoreError`. */
    staleOn: (_error: unknown): boolean => false,
    /** Whether readers of one load get the same value if it can be neither frozen nor copied. */
    mayHandOut: false,
    /** Whether values are the bytes of the store, as there is no codec below. */
    isOfBytes: false,
  }
  if (settings.staleRetryMs > 0 && settings.staleIfErrorMs === 0)
    throw invalid('staleRetryMs needs staleIfErrorMs, which allows stale entries.')
  checkSoftTimeout(settings)
  checkRenewal(settings)
  checkLocalTier(settings)
  checkBus(settings, options.maxStaleMs)
  checkCost(options)
  checkTagsOf(settings.tags, warm)
  return { ...settings, warm: warm && warmSettings(warm, settings.freshForMs) }
}

function freshness(given: number | FreshFor | undefined, name: string): number | FreshFor | undefined {
  return given === undefined || typeof given === 'function' ? given : checkedMs(name, given, fromNow)
}

function sharing(share: Share | undefined = 'freeze'): Share {
  if (typeof share === 'function' || ['freeze', 'copy', 'reference'].includes(share)) return share
  throw invalid("share must be 'freeze', 'copy', 'reference' or a function that copies.")
}

/** The object, if its methods are there and no other option bounds it. */
function inObject(options: ObjectCacheOptions): CacheObject | undefined {
  const { in: object } = options
  if (object === undefined) return undefined
  for (const name of ['get', 'set', 'delete'] as const)
    if (typeof (object as Partial<CacheObject> | null)?.[name] !== 'function')
      throw invalid(`in must be an object with get, set and delete, such as an LRUCache; ${name} is missing.`)
  for (const name of ['maxEntries', 'maxBytes', 'policy', 'warm', 'onRemove', 'cost'] as const)
    if (options[name] !== undefined)
      throw invalid(`${name} and in cannot be combined: the object itself decides what it keeps.`)
  return object
}

function checkTagsOf(tags: unknown, warm: unknown): void {
  if (tags !== undefined && warm !== undefined)
    throw invalid('tags and warm cannot be combined: a saved entry may have been invalidated since.')
}

function policyOf(policy: PolicyName | PolicyFactory | undefined = 's3-fifo'): PolicyFactory {
  if (typeof policy === 'function') return ownPolicy(policy)
  if (typeof policy === 'string' && Object.hasOwn(policies, policy)) return policies[policy]
  throw invalid(`policy must be a function that makes one, or one of ${Object.keys(policies).join(', ')}.`)
}

/** Other policies do not ask what an entry is worth. */
function checkCost({ cost = 'same', policy }: ObjectCacheOptions): void {
  if (cost === 'same' || policy === 'gdsf' || typeof policy === 'function') return
  throw invalid(`cost: '${cost}' needs policy: 'gdsf' or a custom policy; the others ignore it.`)
}

function checkLocalTier(settings: Omit<ObjectCacheSettings, 'warm'>): void {
  if (settings.localTier === 'plain') return
  if (settings.beta > 0)
    throw invalid("refreshAhead and localTier: 'validated' cannot be combined. Leave one of them out.")
  if (settings.freshFor !== undefined)
    throw invalid("A function for freshForMs and localTier: 'validated' cannot be combined.")
  for (const name of ['freshForMs', 'absentForMs', 'staleWhileRevalidateMs', 'staleIfErrorMs'] as const)
    if (settings[name] !== 0)
      throw invalid(`${name} and localTier: 'validated' cannot be combined. Leave one of them out.`)
}

function busOf(bus: InvalidationBus | PubSub | undefined): InvalidationBus | undefined {
  if (bus === undefined) return undefined
  // Lists have a method of that name, too.
  if (typeof Object(bus).join === 'function' && isNamed(bus)) return bus as InvalidationBus
  if (typeof Object(bus).connect !== 'function')
    throw invalid(
      'bus must be an invalidation bus or a transport for one, such as redisPubSub of @unikv/redis.',
    )
  return pubSubBus(bus as PubSub)
}

function isNamed(bus: object): boolean {
  return typeof (bus as Partial<InvalidationBus>).name === 'string'
}

function checkBus(
  { bus, localTier }: Omit<ObjectCacheSettings, 'warm'>,
  givenStaleMs: number | undefined,
): void {
  if (givenStaleMs !== undefined && bus === undefined)
    throw invalid(
      'maxStaleMs needs bus, which tells of the writes of others. Without one freshForMs says how old answers may be.',
    )
  if (bus !== undefined && localTier === 'validated')
    throw invalid("bus and localTier: 'validated' cannot be combined: 'validated' checks every hit anyway.")
}
