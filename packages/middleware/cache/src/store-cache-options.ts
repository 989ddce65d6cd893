import type { AnyStore } from '@unikv/core'
import {
  background,
  checkedMs,
  flag,
  func,
  label,
  ms,
  type Option,
  type OptionsOf,
  oneOf,
  ownClock,
  settingsBy,
} from '@unikv/core/adapter'
import { agingClock } from '@unikv/core/platform'
import { checkSoftTimeout, type FreshnessOptions, freshnessTable, fromNow, invalid } from './cache-options.ts'
import { checkRenewal, renewalTable } from './loads/renewal-options.ts'
import type { TagsOfKey } from './tier/stored-tags.ts'
import type { OnWrite } from './write-through.ts'

/** How long a record in a store is fresh by default. */
export const storeFreshForMs = 60_000

const table = {
  /** Any store of bytes, in layers if need be (`compose(redis(…), [encryption(…)])`). Closed with the stack. */
  store: aStore,
  /**
   * Where the records lie in it. Name it for a store that names no dataset, if other processes share the records.
   *
   * @default `cache.`, and what tells the dataset of the stack from others
   */
  namespace: label(undefined),
  /**
   * How long a record is answered without asking what lies below, from the moment at which it was asked for. Writes through this
   * cache end it at once; this bounds what writers elsewhere can do unseen. A record's own expiry ends it too.
   * @default 60,000, as other processes may write
   */
  freshForMs: endless(storeFreshForMs),
  /**
   * How long a record that is no longer fresh is kept, to be revalidated: the store is asked only whether the version changed.
   * Without effect over stores that do not declare `conditionalRead`. @default 600,000
   */
  keepForMs: endless(600_000),
  /** Longest wait for the cache store; after it the call goes on without. @default 250 */
  timeoutMs: ms(250),
  /**
   * The effect of a cache-store error on a read: a `'miss'`, counted in `stats().storeErrors`, or the error of
   * the read (`'fail'`). A write never fails by it. @default 'miss'
   */
  onError: oneOf('miss', ['miss', 'fail']),
  /**
   * Whether processes agree by leases on who fills a record, so that none fills an old value, and one loads for all.
   * `true` refuses a cache store that cannot do it (it must declare `conditionalWrite`).
   *
   * @default wherever the cache store can do it
   */
  leases: flag(undefined),
  /** Longest wait for another process that loads the key; then this one loads it too. @default 1,000 */
  leaseWaitMs: ms(1_000, fromNow),
  /**
   * The behavior of a write when the cache store cannot be reached: it continues, counted in `stats().unmarkedWrites`, and other
   * processes may read the former value for `freshForMs` at most (`'available'`); or it is refused before it is sent, and is
   * `OUTCOME_UNKNOWN` where its end cannot be told (`'consistent'`), which costs each write one wait for the cache store more.
   *
   * @default 'available'
   */
  writes: oneOf('available', ['available', 'consistent']),
  /**
   * The content of the cache store after an acknowledged `set`: nothing (`'around'`), or the value that was written, unless
   * another writer of the key has come between (`'through'`). It needs leases, and marks before it writes: a write waits for
   * the cache store once more. @default 'around'
   */
  onWrite: oneOf<OnWrite>('around', ['around', 'through']),
  /**
   * How long after its freshness an entry is still the answer, marked stale, while it is renewed. It takes `background`.
   *
   * @default 0
   */
  staleWhileRevalidateMs: ms(0, fromNow),
  /**
   * How long after its freshness an entry stands in for a source that fails, or does not answer before the call ends, marked
   * stale. @default 0
   */
  staleIfErrorMs: ms(0, fromNow),
  /**
   * Longest wait for a source that takes its time where `staleIfErrorMs` allows a stale entry: it is looked for then, and is
   * the answer; the load goes on. @default Infinity: until shortly before the call ends
   */
  softTimeoutMs: ms(Number.POSITIVE_INFINITY, fromNow),
  /** Takes work that goes on after the answer, fills too; without it that work is waited for. */
  background: background(),
  /**
   * The tags of an entry, from its key alone (without namespaces), by which `invalidateTags` voids it with others, for all
   * processes: at most 64, of 1 to 512 characters. It needs leases, and writes around. If it throws, or does not return
   * a list of tags, the entry is answered and not kept (`stats().refusals`).
   */
  tags: func<TagsOfKey>(),
  /** Say so if plain text of a sealed store may be kept in a cache store that is not sealed, or hashed names in one that shows them. */
  plaintext: oneOf(undefined, ['allowed']),
  /** Name of the tier in `meta.tier` of results and in `stats`. @default the name of the store */
  tier: label(undefined),
  /** Monotonic clock in milliseconds, for the time that loads take. @default one that goes on while the machine sleeps */
  monotonicClock: ownClock(agingClock),
}

/** All options of this form of `cache`. */
export const storeCacheTable = { ...renewalTable, ...freshnessTable, ...table }

/** Settings of a cache in another store. */
export interface StoreCacheOptions extends FreshnessOptions, OptionsOf<typeof table> {}

/** Resolved settings of a cache in another store. `namespace` is `undefined` where it is that of the dataset of each stack. */
export type StoreCacheSettings = ReturnType<typeof storeCacheSettings>

/** The same for one stack. */
export interface PlacedSettings extends StoreCacheSettings {
  readonly namespace: string
}

/** Check the options and fill in the defaults. */
export function storeCacheSettings(options: StoreCacheOptions) {
  const { refreshAhead: beta, ...given } = settingsBy('cache', storeCacheTable, options)
  const { store, leases = store.capabilities.conditionalWrite, tier = store.name } = given
  const settings = { ...given, beta, leases, tier, absentForMs: lasting(given.absentForMs) }
  checkSoftTimeout(settings)
  checkRenewal(settings)
  checkLeases(settings)
  checkTagsOf(settings)
  if (store.capabilities.documents)
    throw invalid(`${store.name} holds documents; a cache store must hold bytes.`)
  return settings
}

function aStore(store: AnyStore): AnyStore {
  if ((store as Partial<AnyStore> | null)?.capabilities !== undefined) return store
  throw invalid('store must be a unikv store, such as redis(…).')
}

function checkTagsOf({ tags, leases, onWrite }: StoreCacheSettings): void {
  if (tags === undefined) return
  if (!leases)
    throw invalid('tags need leases in a cache store: a late record of a tag would undo an invalidation.')
  if (onWrite === 'through')
    throw invalid("tags and onWrite: 'through' cannot be combined in a cache store. Leave one of them out.")
}

function checkLeases({ leases, writes, onWrite, store, beta }: StoreCacheSettings): void {
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

/** A time that may reach beyond all that a record can hold. */
function endless(fallback: number): Option<number | undefined, number> {
  return (given = fallback, name) => lasting(checkedMs(name, given, fromNow))
}

/** A time that reaches beyond all that a record can hold is *always*. */
function lasting(ms: number): number {
  return ms >= 2 ** 47 ? Number.POSITIVE_INFINITY : ms
}
