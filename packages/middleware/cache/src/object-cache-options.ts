import { checkedMs, checkName, type OptionNames, ownNumbers, unfailing } from '@unikv/core/adapter'
import { agingClock, wallClock } from '@unikv/core/platform'
import type { InvalidationBus, PubSub } from './bus/bus.ts'
import { pubSubBus } from './bus/pub-sub-bus.ts'
import {
  checkBackground,
  checkDurations,
  checkMs,
  checkOnWrite,
  checkSoftTimeout,
  type FreshnessOptions,
  invalid,
  type Resolved,
} from './cache-options.ts'
import { type EntryOptions, type EntrySettings, entrySettings, type FreshFor } from './entry-options.ts'
import { type RenewalSettings, renewalSettings } from './loads/renewal-options.ts'
import type { CacheObject } from './object/cache-object.ts'
import { type PolicyFactory, type PolicyName, policies } from './policies/index.ts'
import { ownPolicy } from './policies/own-policy.ts'
import type { TagsOf } from './tags/tagging.ts'
import type { Share } from './values/sharing.ts'
import { type WarmOptions, type WarmSettings, warmSettings } from './warm/warm-options.ts'
import type { OnWrite } from './write-through.ts'

/** Settings of a cache in this process. */
export interface ObjectCacheOptions extends Omit<FreshnessOptions, 'freshForMs'>, EntryOptions {
  /**
   * How long an entry is answered without asking what lies below, from the moment at which it was asked for; or a function
   * that says so of each, from its key (without namespaces) and its value. Where that throws, or returns no time, the value is
   * answered and not kept. @default 60,000; `Infinity`: until it is written, evicted or expires
   */
  readonly freshForMs?: number | FreshFor | undefined
  /** @default Infinity: until it is evicted */
  readonly keepForMs?: number | undefined
  /**
   * How long after its freshness an entry is still the answer, marked stale, while it is renewed: at once, and by one load
   * for all. It takes `background`; without that the reader waits for the load.
   *
   * @default 0
   */
  readonly staleWhileRevalidateMs?: number | undefined
  /**
   * How long after its freshness an entry is the answer, marked stale, where the store cannot be reached, is overloaded, or
   * does not answer before the call ends.
   *
   * @default 0
   */
  readonly staleIfErrorMs?: number | undefined
  /**
   * How long a reader who has such an entry waits for the store before that is the answer; the load goes on.
   *
   * @default Infinity: until shortly before the call ends
   */
  readonly softTimeoutMs?: number | undefined
  /**
   * How long after a load that failed, or that took longer than `softTimeoutMs`, such an entry is answered at once and no
   * other load of its key is begun. It takes `staleIfErrorMs`.
   *
   * @default 0: each reader tries
   */
  readonly staleRetryMs?: number | undefined
  /**
   * Takes work that goes on after the answer: `waitUntil` of a serverless platform, or `() => {}` in a process that lives
   * on. It never rejects.
   */
  readonly background?: ((work: Promise<unknown>) => unknown) | undefined
  /**
   * `'validated'`: each hit asks what lies below whether the version is still the same, so that no other process can have
   * written unseen; over a cache in a store that is one small question to it. `freshForMs` is 0 then, and nothing is
   * answered stale. `'plain'`: hits ask nobody.
   *
   * @default 'plain'
   */
  readonly localTier?: 'plain' | 'validated' | undefined
  /**
   * Tells of the writes of other processes: entries are then answered without asking only as long as it is certain that
   * nothing older than `maxStaleMs` was missed, and revalidated otherwise. A bus, or what `pubSubBus` makes one of.
   */
  readonly bus?: InvalidationBus | PubSub | undefined
  /** How old a value may be that is answered without asking, with `bus`. @default 1,000 */
  readonly maxStaleMs?: number | undefined
  /**
   * Keep entries in an object of your own, such as an `LRUCache` of the package `lru-cache`: then its limits and its order
   * decide who makes room, and `maxEntries`, `maxBytes`, `policy`, `cost` and `warm` are refused. All other promises of this cache hold
   * there too. @default an own table within `maxEntries` and `maxBytes`
   */
  readonly in?: CacheObject | undefined
  /** Most entries; `policy` says who makes room. @default 10,000 */
  readonly maxEntries?: number | undefined
  /** Most bytes: values by `sizeOf`, keys, and 272 for each entry. @default 64 Mi */
  readonly maxBytes?: number | undefined
  /** Eviction policy: a name, or your own. @default 's3-fifo' */
  readonly policy?: PolicyName | PolicyFactory | undefined
  /**
   * Cost of an entry for `gdsf`, and for a policy of your own: the `'same'` for each (most hits), its `'bytes'` (most
   * bytes from the cache), or its `'loadTime'` as measured (least waiting). @default 'same'
   */
  readonly cost?: 'same' | 'bytes' | 'loadTime' | undefined
  /** How one cached value serves many readers. @default 'freeze' */
  readonly share?: Share | undefined
  /** Bytes of a value. @default an estimate of its size in the heap, exact for bytes and strings */
  readonly sizeOf?: ((value: unknown) => number) | undefined
  /**
   * Effect of an acknowledged `set` on the cache: nothing, so that the next read loads the key (`'around'`), or the value
   * that was written, if no other write of the key was under way in this process (`'through'`). All other writes leave
   * nothing. @default 'around'
   */
  readonly onWrite?: OnWrite | undefined
  /**
   * The tags of an entry, from its key (without namespaces) and its value (`undefined`: absent), by which
   * `invalidateTags` voids it with others: at most 64, of 1 to 512 characters. Asked once for each load. If it throws, or
   * does not return a list of tags, the entry is answered and not kept (`stats().refusals`).
   */
  readonly tags?: TagsOf | undefined
  /** @default 'memory' */
  readonly tier?: string | undefined
  /** Monotonic clock in milliseconds, for freshness. @default one that goes on while the machine sleeps */
  readonly monotonicClock?: (() => number) | undefined
  /** Save its hottest part, and load that back at the next start. For one stack. */
  readonly warm?: WarmOptions | undefined
  readonly store?: undefined
}

/** Resolved settings of a cache in this process. */
export interface ObjectCacheSettings
  extends Resolved<
      Omit<
        ObjectCacheOptions,
        | 'store'
        | 'in'
        | 'sizeOf'
        | 'policy'
        | 'background'
        | 'bus'
        | 'warm'
        | 'tags'
        | 'refreshAhead'
        | 'freshForMs'
        | keyof EntryOptions
      >
    >,
    RenewalSettings,
    EntrySettings,
    Pick<Required<ObjectCacheOptions>, 'sizeOf' | 'background'> {
  /** Where no function says so. */
  readonly freshForMs: number
  readonly policy: PolicyFactory
  /** Whether readers of one load get the same value if it can be neither frozen nor copied. */
  readonly mayHandOut: boolean
  /** Whether values are the bytes of the store, as there is no codec below. */
  readonly isOfBytes: boolean
  /** Whether a stale entry stands in for an error that is no `StoreError`. */
  readonly staleOn: (error: unknown) => boolean
  readonly bus: InvalidationBus | undefined
  readonly warm: WarmSettings | undefined
  readonly tags: TagsOf | undefined
  readonly in: CacheObject | undefined
}

/** All options of this form of `cache`. */
export const objectCacheNames: OptionNames<ObjectCacheOptions> = {
  in: true,
  refreshAhead: true,
  jitter: true,
  random: true,
  freshForMs: true,
  keepForMs: true,
  absentForMs: true,
  joinMs: true,
  tier: true,
  clock: true,
  staleWhileRevalidateMs: true,
  staleIfErrorMs: true,
  softTimeoutMs: true,
  staleRetryMs: true,
  background: true,
  localTier: true,
  bus: true,
  maxStaleMs: true,
  maxEntries: true,
  maxBytes: true,
  policy: true,
  cost: true,
  share: true,
  sizeOf: true,
  onWrite: true,
  tags: true,
  monotonicClock: true,
  warm: true,
  keepIf: true,
  idleForMs: true,
  onRemove: true,
  store: true,
}

/** Writes of other processes are seen after this time at the latest. */
const defaultFreshForMs = 60_000

/** Check the options and fill in the defaults. */
export function objectCacheSettings(options: ObjectCacheOptions): ObjectCacheSettings {
  const isValidated = options.localTier === 'validated'
  const settings = {
    localTier: options.localTier ?? 'plain',
    freshForMs: constantOf(options.freshForMs) ?? (isValidated ? 0 : defaultFreshForMs),
    keepForMs: options.keepForMs ?? Number.POSITIVE_INFINITY,
    absentForMs: options.absentForMs ?? 0,
    joinMs: options.joinMs ?? Number.POSITIVE_INFINITY,
    staleWhileRevalidateMs: options.staleWhileRevalidateMs ?? 0,
    staleIfErrorMs: options.staleIfErrorMs ?? 0,
    softTimeoutMs: options.softTimeoutMs ?? Number.POSITIVE_INFINITY,
    staleRetryMs: options.staleRetryMs ?? 0,
    background: unfailing(options.background),
    in: inObject(options),
    maxEntries: options.maxEntries ?? 10_000,
    maxBytes: options.maxBytes ?? (options.in === undefined ? 64 * 1024 * 1024 : Number.MAX_SAFE_INTEGER),
    bus: busOf(options.bus),
    maxStaleMs: options.maxStaleMs ?? 1_000,
    policy: policyOf(options.policy ?? 's3-fifo'),
    staleOn: () => false,
    mayHandOut: false,
    isOfBytes: false,
    cost: options.cost ?? 'same',
    share: options.share ?? 'freeze',
    sizeOf: options.sizeOf,
    onWrite: options.onWrite ?? 'around',
    tags: options.tags,
    tier: options.tier ?? 'memory',
    clock: ownNumbers('cache', 'clock', options.clock, wallClock),
    monotonicClock: ownNumbers('cache', 'monotonicClock', options.monotonicClock, agingClock),
    ...renewalSettings(options, options.background),
    ...entrySettings(options, options.freshForMs),
  }
  const { maxEntries, maxBytes, share, cost } = settings
  checkDurations(settings)
  const { staleWhileRevalidateMs, staleIfErrorMs, softTimeoutMs, staleRetryMs } = settings
  checkMs({ staleWhileRevalidateMs, staleIfErrorMs, softTimeoutMs, staleRetryMs, joinMs: settings.joinMs })
  if (staleRetryMs > 0 && staleIfErrorMs === 0)
    throw invalid('staleRetryMs needs staleIfErrorMs, which allows stale entries.')
  checkSoftTimeout(settings)
  checkName('tier', settings.tier)
  checkBackground(settings.background)
  checkOnWrite(settings.onWrite)
  checkLocalTier(settings)
  checkBus(settings, options.maxStaleMs)
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
    throw invalid('maxEntries must be a whole number above 0.')
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw invalid('maxBytes must be a whole number above 0.')
  if (typeof share !== 'function' && !['freeze', 'copy', 'reference'].includes(share))
    throw invalid("share must be 'freeze', 'copy', 'reference' or a function that copies.")
  if (!['same', 'bytes', 'loadTime'].includes(cost))
    throw invalid("cost must be 'same', 'bytes' or 'loadTime'.")
  checkCost(options)
  if (settings.sizeOf !== undefined && typeof settings.sizeOf !== 'function')
    throw invalid('sizeOf must be a function that takes a value and returns its bytes.')
  const { warm } = options
  checkTagsOf(settings.tags, warm)
  return { ...settings, warm: warm === undefined ? undefined : warmSettings(warm, settings.freshForMs) }
}

/** The object, if its methods are there and nothing else is to bound it. */
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

function constantOf(freshForMs: ObjectCacheOptions['freshForMs']): number | undefined {
  return typeof freshForMs === 'function' ? undefined : freshForMs
}

function checkTagsOf(tags: unknown, warm: unknown): void {
  if (tags === undefined) return
  if (typeof tags !== 'function') throw invalid('tags must be a function of a key and a value.')
  if (warm !== undefined)
    throw invalid('tags and warm cannot be combined: a saved entry may have been invalidated since.')
}

function policyOf(policy: unknown): PolicyFactory {
  if (typeof policy === 'function') return ownPolicy(policy as PolicyFactory)
  if (typeof policy === 'string' && Object.hasOwn(policies, policy)) return policies[policy as PolicyName]
  throw invalid(`policy must be a function that makes one, or one of ${Object.keys(policies).join(', ')}.`)
}

/** Other policies do not ask what an entry is worth. */
function checkCost({ cost = 'same', policy }: ObjectCacheOptions): void {
  if (cost === 'same' || policy === 'gdsf' || typeof policy === 'function') return
  throw invalid(`cost: '${cost}' needs policy: 'gdsf' or a custom policy; the others ignore it.`)
}

function checkLocalTier(settings: Omit<ObjectCacheSettings, 'warm'>): void {
  const { localTier } = settings
  if (!['plain', 'validated'].includes(localTier)) throw invalid("localTier must be 'plain' or 'validated'.")
  if (localTier === 'plain') return
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
  { bus, maxStaleMs, localTier }: Omit<ObjectCacheSettings, 'warm'>,
  givenStaleMs: number | undefined,
): void {
  checkedMs('maxStaleMs', maxStaleMs, { least: 10, most: 3_600_000 })
  if (givenStaleMs !== undefined && bus === undefined)
    throw invalid(
      'maxStaleMs needs bus, which tells of the writes of others. Without one freshForMs says how old answers may be.',
    )
  if (bus !== undefined && localTier === 'validated')
    throw invalid("bus and localTier: 'validated' cannot be combined: 'validated' checks every hit anyway.")
}
