import { performance } from 'node:perf_hooks'
import { type AnyStore, StoreError } from '@unikv/core'
import type { InvalidationBus, PubSub } from './bus/bus.ts'
import { pubSubBus } from './bus/pub-sub-bus.ts'
import { type PolicyFactory, type PolicyName, policies } from './policies/index.ts'
import { type RenewalOptions, type RenewalSettings, renewalSettings } from './renewal-options.ts'
import type { Share } from './sharing.ts'
import { type WarmOptions, type WarmSettings, warmSettings } from './warm/warm-options.ts'
import type { OnWrite } from './write-through.ts'

/** What every cache can be told about time. All durations are milliseconds; `Infinity` is allowed. */
export interface FreshnessOptions extends RenewalOptions {
  /**
   * How long an entry is answered without asking what lies below, from the moment at which it was asked for.
   * Writes through this cache end it at once; this bounds what writers elsewhere can do unseen. A record's own
   * expiry ends it too.
   */
  readonly freshForMs?: number | undefined
  /**
   * How long an entry that is no longer fresh is kept, to be revalidated: the store is asked only whether the
   * version changed. Without effect over stores that do not declare `conditionalRead`.
   */
  readonly keepForMs?: number | undefined
  /** How long *absent* is answered without asking. @default 0: absent keys are asked for each time */
  readonly absentForMs?: number | undefined
  /** Name of the tier in `meta.tier` of results and in `stats`. */
  readonly tier?: string | undefined
  /** Wall clock in milliseconds, for the expiry of records. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/** Settings of a cache in this process. */
export interface ObjectCacheOptions extends FreshnessOptions {
  /** @default Infinity: until it is written, evicted or expires */
  readonly freshForMs?: number | undefined
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
   * does not answer in time.
   *
   * @default 0
   */
  readonly staleIfErrorMs?: number | undefined
  /**
   * How long a reader who has such an entry waits for the store before that is the answer; the load goes on.
   *
   * @default Infinity: for as long as the call may take
   */
  readonly softTimeoutMs?: number | undefined
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
  /** Most entries; `policy` says who makes room. @default 10,000 */
  readonly maxEntries?: number | undefined
  /** Most bytes: values by `sizeOf`, keys, and 296 for each entry. @default 64 Mi */
  readonly maxBytes?: number | undefined
  /** Who makes room for whom: by name, or your own. @default 's3-fifo' */
  readonly policy?: PolicyName | PolicyFactory | undefined
  /**
   * What an entry is worth to `gdsf`, and to a policy of your own: the `'same'` for each (most hits), its `'bytes'` (most
   * bytes from the cache), or its `'loadTime'` as measured (least waiting). @default 'same'
   */
  readonly cost?: 'same' | 'bytes' | 'loadTime' | undefined
  /** How one cached value serves many readers. @default 'freeze' */
  readonly share?: Share | undefined
  /** Bytes of a value. @default an estimate of its size in the heap, exact for bytes and strings */
  readonly sizeOf?: ((value: unknown) => number) | undefined
  /**
   * What a `set` that was acknowledged leaves here: nothing, so that the next read loads the key (`'around'`), or the value
   * that was written, if no other write of the key was under way in this process (`'through'`). All other writes leave
   * nothing. @default 'around'
   */
  readonly onWrite?: OnWrite | undefined
  /** @default 'memory' */
  readonly tier?: string | undefined
  /** Monotonic clock in milliseconds, for freshness. @default performance.now */
  readonly monotonicClock?: (() => number) | undefined
  /** Save its hottest part, and load that back at the next start. For one stack. */
  readonly warm?: WarmOptions | undefined
  readonly store?: undefined
}

/** Settings of a cache in another store. */
export interface StoreCacheOptions extends FreshnessOptions {
  /** Any store of bytes, in layers if need be (`compose(redis(…), [encryption(…)])`). Closed with the stack. */
  readonly store: AnyStore
  /** Where the records lie in it. Each cached dataset needs its own. @default 'cache' */
  readonly namespace?: string | undefined
  /** @default 60,000, as other processes may write: see the README */
  readonly freshForMs?: number | undefined
  /** @default 600,000 */
  readonly keepForMs?: number | undefined
  /** Longest wait for the cache store; after it the call goes on without. @default 250 */
  readonly timeoutMs?: number | undefined
  /**
   * What an error of the cache store is to a read: a `'miss'`, counted in `stats().storeErrors`, or the error of
   * the read (`'fail'`). A write never fails by it. @default 'miss'
   */
  readonly onError?: 'miss' | 'fail' | undefined
  /**
   * Whether processes agree by leases on who fills a record, so that none fills an old value, and one loads for all.
   * `true` refuses a cache store that cannot do it (it must declare `conditionalWrite`).
   *
   * @default wherever the cache store can do it
   */
  readonly leases?: boolean | undefined
  /** Longest wait for another process that loads the key; then this one loads it too. @default 1,000 */
  readonly leaseWaitMs?: number | undefined
  /**
   * What a write does that the cache store cannot be told of: it goes on, counted in `stats().unmarkedWrites`, and other
   * processes may read the former value for `freshForMs` at most (`'available'`); or it is refused before it is sent
   * (`'consistent'`), which costs each write one wait for the cache store more.
   *
   * @default 'available'
   */
  readonly writes?: 'available' | 'consistent' | undefined
  /**
   * What a `set` that was acknowledged leaves in the cache store: nothing (`'around'`), or the value that was written, unless
   * another writer of the key has come between (`'through'`). It needs leases, and marks before it writes: a write waits for
   * the cache store once more. @default 'around'
   */
  readonly onWrite?: OnWrite | undefined
  /**
   * How long after its freshness an entry is still the answer, marked stale, while it is renewed. It takes `background`.
   *
   * @default 0
   */
  readonly staleWhileRevalidateMs?: number | undefined
  /** How long after its freshness an entry stands in for a source that fails, marked stale. @default 0 */
  readonly staleIfErrorMs?: number | undefined
  /** Takes work that goes on after the answer, fills too; without it that work is waited for. */
  readonly background?: ((work: Promise<unknown>) => unknown) | undefined
  /** Say so if plain text of a sealed store may be kept in a cache store that is not sealed. */
  readonly plaintext?: 'allowed' | undefined
  /** @default the name of the store */
  readonly tier?: string | undefined
  /** Monotonic clock in milliseconds, for the time that loads take. @default performance.now */
  readonly monotonicClock?: (() => number) | undefined
}

type Resolved<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }

/** Resolved settings of a cache in this process. */
export interface ObjectCacheSettings
  extends Resolved<
      Omit<ObjectCacheOptions, 'store' | 'sizeOf' | 'policy' | 'background' | 'bus' | 'warm' | 'refreshAhead'>
    >,
    RenewalSettings,
    Pick<Required<ObjectCacheOptions>, 'sizeOf' | 'background'> {
  readonly policy: PolicyFactory
  /** Whether a stale entry stands in for an error that is no `StoreError`. */
  readonly staleOn: (error: unknown) => boolean
  readonly bus: InvalidationBus | undefined
  readonly warm: WarmSettings | undefined
}

/** Resolved settings of a cache in another store. */
export interface StoreCacheSettings
  extends Resolved<Omit<StoreCacheOptions, 'plaintext' | 'background' | 'refreshAhead'>>,
    RenewalSettings,
    Pick<Required<StoreCacheOptions>, 'plaintext' | 'background'> {}

/** Check the options and fill in the defaults. */
export function objectCacheSettings(options: ObjectCacheOptions): ObjectCacheSettings {
  const isValidated = options.localTier === 'validated'
  const settings = {
    localTier: options.localTier ?? 'plain',
    freshForMs: options.freshForMs ?? (isValidated ? 0 : Number.POSITIVE_INFINITY),
    keepForMs: options.keepForMs ?? Number.POSITIVE_INFINITY,
    absentForMs: options.absentForMs ?? 0,
    staleWhileRevalidateMs: options.staleWhileRevalidateMs ?? 0,
    staleIfErrorMs: options.staleIfErrorMs ?? 0,
    softTimeoutMs: options.softTimeoutMs ?? Number.POSITIVE_INFINITY,
    background: options.background,
    maxEntries: options.maxEntries ?? 10_000,
    maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
    bus: busOf(options.bus),
    maxStaleMs: options.maxStaleMs ?? 1_000,
    policy: policyOf(options.policy ?? 's3-fifo'),
    staleOn: () => false,
    cost: options.cost ?? 'same',
    share: options.share ?? 'freeze',
    sizeOf: options.sizeOf,
    onWrite: options.onWrite ?? 'around',
    tier: options.tier ?? 'memory',
    clock: options.clock ?? Date.now,
    monotonicClock: options.monotonicClock ?? (() => performance.now()),
    ...renewalSettings(options, options.background),
  }
  const { maxEntries, maxBytes, share, cost } = settings
  checkDurations(settings)
  const { staleWhileRevalidateMs, staleIfErrorMs, softTimeoutMs } = settings
  checkMs({ staleWhileRevalidateMs, staleIfErrorMs, softTimeoutMs })
  checkBackground(settings.background)
  checkOnWrite(settings.onWrite)
  checkLocalTier(settings)
  checkBus(settings)
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
    throw invalid('maxEntries must be a whole number above 0.')
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw invalid('maxBytes must be a whole number above 0.')
  if (typeof share !== 'function' && !['freeze', 'copy', 'reference'].includes(share))
    throw invalid("share must be 'freeze', 'copy', 'reference' or a function that copies.")
  if (!['same', 'bytes', 'loadTime'].includes(cost))
    throw invalid("cost must be 'same', 'bytes' or 'loadTime'.")
  const { warm } = options
  return { ...settings, warm: warm === undefined ? undefined : warmSettings(warm, settings.freshForMs) }
}

/** How long a record in a store is fresh by default. */
export const storeFreshForMs = 60_000

/** Check the options and fill in the defaults. */
export function storeCacheSettings(options: StoreCacheOptions): StoreCacheSettings {
  const settings = {
    store: options.store,
    namespace: options.namespace ?? 'cache',
    freshForMs: options.freshForMs ?? storeFreshForMs,
    keepForMs: options.keepForMs ?? 600_000,
    absentForMs: options.absentForMs ?? 0,
    timeoutMs: options.timeoutMs ?? 250,
    onError: options.onError ?? 'miss',
    leases: options.leases ?? options.store.capabilities.conditionalWrite,
    leaseWaitMs: options.leaseWaitMs ?? 1_000,
    writes: options.writes ?? 'available',
    onWrite: options.onWrite ?? 'around',
    staleWhileRevalidateMs: options.staleWhileRevalidateMs ?? 0,
    staleIfErrorMs: options.staleIfErrorMs ?? 0,
    background: options.background,
    plaintext: options.plaintext,
    tier: options.tier ?? options.store.name,
    clock: options.clock ?? Date.now,
    monotonicClock: options.monotonicClock ?? (() => performance.now()),
    ...renewalSettings(options, options.background),
  }
  checkDurations(settings)
  if (!(settings.timeoutMs > 0)) throw invalid('timeoutMs must be a number of milliseconds above 0.')
  if (!['miss', 'fail'].includes(settings.onError)) throw invalid("onError must be 'miss' or 'fail'.")
  const { staleWhileRevalidateMs, staleIfErrorMs, leaseWaitMs } = settings
  checkMs({ staleWhileRevalidateMs, staleIfErrorMs, leaseWaitMs })
  checkBackground(settings.background)
  checkOnWrite(settings.onWrite)
  checkLeases(settings)
  if (settings.store.capabilities.documents)
    throw invalid(`${settings.store.name} holds documents; a cache store must hold bytes.`)
  return settings
}

function policyOf(policy: unknown): PolicyFactory {
  if (typeof policy === 'function') return policy as PolicyFactory
  if (typeof policy === 'string' && Object.hasOwn(policies, policy)) return policies[policy as PolicyName]
  throw invalid(`policy must be a function that makes one, or one of ${Object.keys(policies).join(', ')}.`)
}

function checkLocalTier(settings: Omit<ObjectCacheSettings, 'warm'>): void {
  const { localTier } = settings
  if (!['plain', 'validated'].includes(localTier)) throw invalid("localTier must be 'plain' or 'validated'.")
  if (localTier === 'plain') return
  if (settings.beta > 0)
    throw invalid("refreshAhead and localTier: 'validated' exclude each other; leave one of them away.")
  for (const name of ['freshForMs', 'absentForMs', 'staleWhileRevalidateMs', 'staleIfErrorMs'] as const)
    if (settings[name] !== 0)
      throw invalid(`${name} and localTier: 'validated' exclude each other; leave one of them away.`)
}

function busOf(bus: InvalidationBus | PubSub | undefined): InvalidationBus | undefined {
  if (bus === undefined || 'join' in bus) return bus
  if (typeof bus.connect !== 'function')
    throw invalid(
      'bus must be an invalidation bus or a transport for one, such as redisPubSub of @unikv/redis.',
    )
  return pubSubBus(bus)
}

function checkBus({ bus, maxStaleMs, localTier }: Omit<ObjectCacheSettings, 'warm'>): void {
  if (!(maxStaleMs >= 10 && maxStaleMs <= 3_600_000))
    throw invalid('maxStaleMs must be a number of milliseconds from 10 to 3,600,000.')
  if (bus !== undefined && localTier === 'validated')
    throw invalid("bus and localTier: 'validated' exclude each other: the latter asks on each hit anyway.")
}

function checkBackground(background: unknown): void {
  if (background !== undefined && typeof background !== 'function')
    throw invalid('background must be a function that takes a promise.')
}

function checkOnWrite(onWrite: unknown): void {
  if (onWrite !== 'around' && onWrite !== 'through') throw invalid("onWrite must be 'around' or 'through'.")
}

function checkLeases({ leases, writes, onWrite, store, beta }: StoreCacheSettings): void {
  if (typeof leases !== 'boolean') throw invalid('leases must be true or false.')
  if (!['available', 'consistent'].includes(writes))
    throw invalid("writes must be 'available' or 'consistent'.")
  if (leases && !store.capabilities.conditionalWrite)
    throw invalid(`${store.name} has no conditional writes, which leases need. Say leases: false.`)
  if (!leases && onWrite === 'through')
    throw invalid(
      "onWrite: 'through' needs leases in a cache store: they tell whether another writer came between.",
    )
  if (!leases && beta > 0)
    throw invalid('refreshAhead needs leases in a cache store, so that one process alone renews an entry.')
  if (!leases && writes === 'consistent') throw invalid("writes: 'consistent' needs leases.")
  if (store.capabilities.evicts && writes === 'consistent')
    throw invalid(
      `${store.name} may drop live records, the marks of writers too. Turn eviction off, or say writes: 'available'.`,
    )
}

function checkDurations(
  settings: Required<Pick<FreshnessOptions, 'freshForMs' | 'keepForMs' | 'absentForMs'>>,
): void {
  const { freshForMs, keepForMs, absentForMs } = settings
  checkMs({ freshForMs, keepForMs, absentForMs })
}

function checkMs(durations: Readonly<Record<string, unknown>>): void {
  for (const [name, ms] of Object.entries(durations)) {
    if (typeof ms !== 'number' || !(ms >= 0))
      throw invalid(`${name} must be a number of milliseconds, 0 or more.`)
  }
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
