import type { AnyStore } from '@unikv/core'
import {
  checkedMs,
  checkName,
  checkOneOf,
  type OptionNames,
  ownNumbers,
  unfailing,
} from '@unikv/core/adapter'
import { agingClock, wallClock } from '@unikv/core/platform'
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
import { type RenewalSettings, renewalSettings } from './loads/renewal-options.ts'
import type { TagsOfKey } from './tier/stored-tags.ts'
import type { OnWrite } from './write-through.ts'

/** Settings of a cache in another store. */
export interface StoreCacheOptions extends FreshnessOptions {
  /** Any store of bytes, in layers if need be (`compose(redis(…), [encryption(…)])`). Closed with the stack. */
  readonly store: AnyStore
  /**
   * Where the records lie in it. Name it for a store that names no dataset, if other processes are to share the records.
   *
   * @default `cache.`, and what tells the dataset of the stack from others
   */
  readonly namespace?: string | undefined
  /** @default 60,000, as other processes may write: see the README */
  readonly freshForMs?: number | undefined
  /** @default 600,000 */
  readonly keepForMs?: number | undefined
  /** Longest wait for the cache store; after it the call goes on without. @default 250 */
  readonly timeoutMs?: number | undefined
  /**
   * The effect of a cache-store error on a read: a `'miss'`, counted in `stats().storeErrors`, or the error of
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
   * The behavior of a write when the cache store cannot be reached: it continues, counted in `stats().unmarkedWrites`, and other
   * processes may read the former value for `freshForMs` at most (`'available'`); or it is refused before it is sent, and is
   * `OUTCOME_UNKNOWN` where its end cannot be told (`'consistent'`), which costs each write one wait for the cache store more.
   *
   * @default 'available'
   */
  readonly writes?: 'available' | 'consistent' | undefined
  /**
   * The content of the cache store after an acknowledged `set`: nothing (`'around'`), or the value that was written, unless
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
  /**
   * How long after its freshness an entry stands in for a source that fails, or does not answer before the call ends, marked
   * stale. @default 0
   */
  readonly staleIfErrorMs?: number | undefined
  /**
   * Longest wait for a source that takes its time where `staleIfErrorMs` allows a stale entry: it is looked for then, and is
   * the answer; the load goes on. @default Infinity: until shortly before the call ends
   */
  readonly softTimeoutMs?: number | undefined
  /** Takes work that goes on after the answer, fills too; without it that work is waited for. */
  readonly background?: ((work: Promise<unknown>) => unknown) | undefined
  /**
   * The tags of an entry, from its key alone (without namespaces), by which `invalidateTags` voids it with others, for all
   * processes: at most 64, of 1 to 512 characters. It needs leases, and writes around. If it throws, or does not return
   * a list of tags, the entry is answered and not kept (`stats().refusals`).
   */
  readonly tags?: TagsOfKey | undefined
  /** Say so if plain text of a sealed store may be kept in a cache store that is not sealed, or hashed names in one that shows them. */
  readonly plaintext?: 'allowed' | undefined
  /** @default the name of the store */
  readonly tier?: string | undefined
  /** Monotonic clock in milliseconds, for the time that loads take. @default one that goes on while the machine sleeps */
  readonly monotonicClock?: (() => number) | undefined
}

/** Resolved settings of a cache in another store. */
export interface StoreCacheSettings
  extends Resolved<
      Omit<StoreCacheOptions, 'namespace' | 'plaintext' | 'background' | 'tags' | 'refreshAhead'>
    >,
    RenewalSettings,
    Pick<Required<StoreCacheOptions>, 'plaintext' | 'background' | 'tags'> {
  /** `undefined`: of the dataset of each stack. */
  readonly namespace: string | undefined
}

/** The same for one stack. */
export interface PlacedSettings extends StoreCacheSettings {
  readonly namespace: string
}

/** How long a record in a store is fresh by default. */
export const storeFreshForMs = 60_000

/** All options of this form of `cache`. */
export const storeCacheNames: OptionNames<StoreCacheOptions> = {
  refreshAhead: true,
  jitter: true,
  random: true,
  freshForMs: true,
  keepForMs: true,
  absentForMs: true,
  joinMs: true,
  tier: true,
  clock: true,
  store: true,
  namespace: true,
  timeoutMs: true,
  onError: true,
  leases: true,
  leaseWaitMs: true,
  writes: true,
  onWrite: true,
  staleWhileRevalidateMs: true,
  staleIfErrorMs: true,
  softTimeoutMs: true,
  background: true,
  tags: true,
  plaintext: true,
  monotonicClock: true,
}

/** Check the options and fill in the defaults. */
export function storeCacheSettings(options: StoreCacheOptions): StoreCacheSettings {
  if ((options.store as Partial<AnyStore> | null)?.capabilities === undefined)
    throw invalid('store must be a unikv store, such as redis(…).')
  const settings = {
    store: options.store,
    namespace: options.namespace,
    freshForMs: endless(options.freshForMs ?? storeFreshForMs),
    keepForMs: endless(options.keepForMs ?? 600_000),
    absentForMs: endless(options.absentForMs ?? 0),
    joinMs: options.joinMs ?? Number.POSITIVE_INFINITY,
    timeoutMs: options.timeoutMs ?? 250,
    onError: options.onError ?? 'miss',
    leases: options.leases ?? options.store.capabilities.conditionalWrite,
    leaseWaitMs: options.leaseWaitMs ?? 1_000,
    writes: options.writes ?? 'available',
    onWrite: options.onWrite ?? 'around',
    staleWhileRevalidateMs: options.staleWhileRevalidateMs ?? 0,
    staleIfErrorMs: options.staleIfErrorMs ?? 0,
    softTimeoutMs: options.softTimeoutMs ?? Number.POSITIVE_INFINITY,
    background: unfailing(options.background),
    plaintext: options.plaintext,
    tags: options.tags,
    tier: options.tier ?? options.store.name,
    clock: ownNumbers('cache', 'clock', options.clock, wallClock),
    monotonicClock: ownNumbers('cache', 'monotonicClock', options.monotonicClock, agingClock),
    ...renewalSettings(options, options.background),
  }
  checkDurations(settings)
  checkedMs('timeoutMs', settings.timeoutMs)
  if (!['miss', 'fail'].includes(settings.onError)) throw invalid("onError must be 'miss' or 'fail'.")
  const { staleWhileRevalidateMs, staleIfErrorMs, softTimeoutMs, leaseWaitMs } = settings
  checkMs({ staleWhileRevalidateMs, staleIfErrorMs, softTimeoutMs, leaseWaitMs, joinMs: settings.joinMs })
  checkSoftTimeout(settings)
  checkName('namespace', settings.namespace)
  checkName('tier', settings.tier)
  checkOneOf('plaintext', settings.plaintext, ['allowed'])
  checkBackground(settings.background)
  checkOnWrite(settings.onWrite)
  checkLeases(settings)
  checkTagsOf(settings)
  if (settings.store.capabilities.documents)
    throw invalid(`${settings.store.name} holds documents; a cache store must hold bytes.`)
  return settings
}

function checkTagsOf({ tags, leases, onWrite }: StoreCacheSettings): void {
  if (tags === undefined) return
  if (typeof tags !== 'function') throw invalid('tags must be a function of a key.')
  if (!leases)
    throw invalid('tags need leases in a cache store: a late record of a tag would undo an invalidation.')
  if (onWrite === 'through')
    throw invalid("tags and onWrite: 'through' cannot be combined in a cache store. Leave one of them out.")
}

function checkLeases({ leases, writes, onWrite, store, beta }: StoreCacheSettings): void {
  if (typeof leases !== 'boolean') throw invalid('leases must be true or false.')
  if (!['available', 'consistent'].includes(writes))
    throw invalid("writes must be 'available' or 'consistent'.")
  if (leases && !store.capabilities.conditionalWrite)
    throw invalid(`${store.name} has no conditional writes, which leases need. Set leases: false.`)
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

/** A time that reaches beyond all that a record can hold is *always*. Anything else is checked later. */
function endless(ms: number): number {
  return typeof ms === 'number' && ms >= 2 ** 47 ? Number.POSITIVE_INFINITY : ms
}
