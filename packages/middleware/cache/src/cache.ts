import {
  type Bytes,
  type Capabilities,
  type Layer,
  layer,
  type PassThrough,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import {
  callOptions,
  checkFactoryOptions,
  hidesNames,
  holdStore,
  levelsAbove,
  showsNamesOf,
  understanding,
} from '@unikv/core/adapter'
import type { InvalidationBus } from './bus/bus.ts'
import { type CacheStats, type Counters, newCounters, statsOf } from './cache-stats.ts'
import { clearing } from './clearing.ts'
import { hearLosses, refuseEarly } from './early.ts'
import { type Forgetting, type Invalidates, invalidator } from './invalidate.ts'
import { RefreshAhead } from './loads/refresh-ahead.ts'
import { ending } from './loads/renewal-options.ts'
import { ObjectCache } from './object/object-cache.ts'
import {
  type ObjectCacheOptions,
  objectCacheNames,
  objectCacheSettings,
} from './object/object-cache-options.ts'
import { Freshness } from './store/freshness.ts'
import { LeasedTier } from './store/leased-tier.ts'
import { ownNamespace } from './store/own-namespace.ts'
import { PlainTier } from './store/plain-tier.ts'
import { StoreCache } from './store/store-cache.ts'
import {
  type PlacedSettings,
  type StoreCacheOptions,
  type StoreCacheSettings,
  storeCacheNames,
  storeCacheSettings,
} from './store/store-cache-options.ts'
import type { Tier } from './store/tier.ts'
import { TierStore } from './store/tier-store.ts'
import { UnconfirmedKeys } from './store/unconfirmed-keys.ts'
import { Validators } from './store/validators.ts'
import { filling } from './strong.ts'
import { invalidateStored } from './tags/invalidate-stored.ts'
import { tagsToInvalidate, untagged } from './tags/tag-names.ts'
import type { WarmOptions } from './warm/warm-options.ts'
import { type WarmHandle, WarmStack } from './warm/warm-stack.ts'

/** The change to capabilities by a cache: other processes may write unseen, and bypassing it is a consistency level. */
export interface CacheCapabilities {
  readonly isolation: 'eventual'
  readonly consistency: readonly string[]
}

/** The change to capabilities by a cache in another store. */
export interface StoreCacheCapabilities extends CacheCapabilities {
  readonly sync: 'none'
}

/** A cache in this process: a layer, and the handle to look at it. */
export interface ObjectCacheLayer extends PassThrough<CacheCapabilities>, Invalidates {
  /** Statistics since it was created, over all stacks that it is in. */
  stats(): CacheStats
  /** Forget everything, at once; loads under way are not kept either. */
  clear(): void
  /**
   * Forget all that has one of these tags (see the option `tags`), at once, however much it is: once this has resolved nobody
   * who comes later is answered with what was loaded before. What is being loaded is answered to those who wait, and not kept.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if this is not a tag, `INVALID_CONFIG` for a cache without the option
   */
  invalidateTags(tags: string | Iterable<string>): Promise<void>
}

/** A cache in this process whose hottest part outlives it. */
export interface WarmCacheLayer extends ObjectCacheLayer, WarmHandle {}

/** A cache in another store: a layer, and the handle to look at it. */
export interface StoreCacheLayer extends Layer<Bytes, Bytes, StoreCacheCapabilities>, Invalidates {
  /** Statistics since it was created, over all stacks that it is in. */
  stats(): CacheStats
  /**
   * Forget all that has one of these tags (see the option `tags`), at once, however much it is: once this has resolved nobody
   * who comes later, to whatever process, is answered with what was loaded before.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if this is not a tag, `INVALID_CONFIG` for a cache without the option; if the cache
   * store did not confirm it the code of its error, or `OUTCOME_UNKNOWN`: try again
   */
  invalidateTags(tags: string | Iterable<string>): Promise<void>
}

/**
 * Keep what was read: in this process, as the values that this layer shows above (place it above the codec and
 * they are objects), or as bytes in any other store.
 *
 * A write through the cache removes the entry when it begins and when it ends, whatever its outcome, and the next
 * read fills it again; what was read before the end of a write is never kept. So a read that starts after a write
 * was acknowledged never sees an older value than that, in this process. Concurrent misses of one key are one
 * load. Reads with `consistency: 'strong'` pass by, and renew the entry.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option
 */
export function cache(options: ObjectCacheOptions & { readonly warm: WarmOptions }): WarmCacheLayer
export function cache(options?: ObjectCacheOptions): ObjectCacheLayer
export function cache(options: StoreCacheOptions): StoreCacheLayer
export function cache(
  options: ObjectCacheOptions | StoreCacheOptions = {},
): ObjectCacheLayer | WarmCacheLayer | StoreCacheLayer {
  const isObjectCache = Object(options).store === undefined
  checkFactoryOptions('cache', options, isObjectCache ? objectCacheNames : storeCacheNames)
  return options.store === undefined ? objectCache(options) : storeCache(options)
}

function objectCache(options: ObjectCacheOptions): ObjectCacheLayer | WarmCacheLayer {
  const settings = ending(objectCacheSettings(options))
  const warm = settings.warm === undefined ? undefined : new WarmStack(settings.warm, settings)
  const counters = newCounters()
  const caches = new Set<ObjectCache>()
  const parts = new Set<Forgetting>()
  const { name, plan } = passThrough<CacheCapabilities>('cache', {
    capabilities: (inner) => ({
      isolation: 'eventual',
      consistency: levelsAbove(inner),
      // Others are told of a write before it is acknowledged, which takes time.
      ...(settings.bus === undefined || inner.sync !== 'all' ? {} : { sync: 'reads' }),
    }),
    wrap: (inner) => {
      if (settings.warm !== undefined) refuseLeak(inner.capabilities, settings.warm)
      warm?.checkUse(inner.capabilities)
      refuseHashedNames(inner.capabilities, settings.bus)
      if (settings.bus !== undefined && settings.bus.storeTells !== true) refuseEarly(inner, 'a bus')
      const below = understanding(inner)
      const { conditionalRead, sync } = inner.capabilities
      if (settings.localTier === 'validated' && !conditionalRead) throw unaskable(inner.name)
      // An immediate answer needs no waiting.
      const here = sync === 'none' ? settings : { ...settings, background: undefined }
      const made = new ObjectCache(filling(inner, below), conditionalRead, here, counters)
      const leave = entered(caches, made, inner)
      const part = forgetting(inner, made.changes)
      parts.add(part)
      warm?.start(made.entries, inner)
      return {
        read: (reads, call) => made.read(reads, call),
        write: (mutations, call) => made.write(mutations, call),
        scan: clearing(below.scan, (prefixes, call) => made.changes.forget(prefixes, call), true),
        close: async () => {
          await warm?.close()
          leave()
          parts.delete(part)
          await made.close()
          await inner.close()
        },
      }
    },
  })
  return Object.freeze({
    name,
    plan,
    stats: () => ({
      ...statsOf(settings.tier, counters, sizeOf(caches)),
      ...(settings.bus === undefined ? {} : { bus: Array.from(caches).at(-1)?.busStats }),
      ...warm?.stats,
    }),
    clear: () => {
      for (const one of caches) one.clear()
    },
    invalidate: invalidator(parts),
    invalidateTags: async (tags: string | Iterable<string>) => {
      if (settings.tags === undefined) throw untagged()
      const names = tagsToInvalidate(tags)
      await Promise.all(Array.from(caches, (one) => one.invalidateTags(names)))
    },
    ...warm?.handle,
  })
}

/** One cache more, which hears what queues below lose, until what is returned is called. */
function entered(caches: Set<ObjectCache>, made: ObjectCache, inner: Store<unknown>): () => void {
  const endLosses = hearLosses(inner, (key) => forgetLost(inner, made, key))
  caches.add(made)
  return () => {
    endLosses()
    caches.delete(made)
  }
}

/** A queue below has lost a write. Where it may know keys by other names, everything is forgotten. */
async function forgetLost(
  { capabilities }: Pick<Store<unknown>, 'capabilities'>,
  made: ObjectCache,
  key: string,
): Promise<void> {
  if (capabilities.scan === false || hidesNames(capabilities)) return made.clear()
  try {
    await made.changes.invalidate([key], callOptions())
  } catch {
    // A bus that cannot be reached is seen to by its own rules.
  }
}

function forgetting(
  { capabilities }: Pick<Store<unknown>, 'capabilities'>,
  made: Pick<Forgetting, 'invalidate' | 'forget'>,
): Forgetting {
  return {
    capabilities,
    invalidate: (keys, call) => made.invalidate(keys, call),
    forget: (prefixes, call) => made.forget(prefixes, call),
  }
}

function sizeOf(caches: ReadonlySet<ObjectCache>): { readonly entries: number; readonly bytes: number } {
  let entries = 0
  let bytes = 0
  for (const { size } of caches) {
    entries += size.entries
    bytes += size.bytes
  }
  return { entries, bytes }
}

function storeCache(options: StoreCacheOptions): StoreCacheLayer {
  const settings = ending(storeCacheSettings(options))
  const counters = newCounters()
  const parts = new Set<Forgetting>()
  /** Of all stacks that it is in. */
  const namespaces = new Set(settings.namespace === undefined ? [] : [settings.namespace])
  const { name, plan } = layer<Bytes, Bytes, StoreCacheCapabilities>('cache', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: (inner) => ({ isolation: 'eventual', consistency: levelsAbove(inner), sync: 'none' }),
    wrap: (inner) => {
      refuseLeak(inner.capabilities, settings)
      refuseNames(inner.capabilities, settings)
      refuseEarly(inner, 'a cache store')
      const below = understanding(inner)
      const { namespace = ownNamespace('cache', inner) } = settings
      namespaces.add(namespace)
      const tier = tierOf({ ...settings, namespace }, counters)
      holdStore(settings.store)
      const made = new StoreCache({
        inner: filling(inner, below),
        isAtomic: inner.capabilities.batch.atomicity === 'all',
        revalidates: inner.capabilities.conditionalRead,
        tier,
        freshness: new Freshness(settings),
        validators: new Validators(),
        ahead: settings.beta > 0 ? new RefreshAhead(settings.beta, settings.random) : undefined,
        settings,
        counters,
      })
      const part = forgetting(inner, made)
      parts.add(part)
      return {
        read: (reads, call) => made.read(reads, call),
        write: (mutations, call) => made.write(mutations, call),
        scan: clearing(below.scan, (prefixes, call) => made.forget(prefixes, call), false),
        close: async () => {
          parts.delete(part)
          await Promise.all([tier.close(), inner.close()])
        },
      }
    },
  })
  return Object.freeze({
    name,
    plan,
    stats: () => statsOf(settings.tier, counters),
    invalidate: invalidator(parts),
    invalidateTags: async (tags: string | Iterable<string>) => {
      const names = tagsToInvalidate(tags)
      if (settings.tags === undefined) throw untagged()
      if (namespaces.size === 0) throw unplaced()
      const invalidated = Array.from(namespaces, (namespace) =>
        invalidateStored(names, new TierStore({ ...settings, namespace }, counters)),
      )
      await Promise.all(invalidated)
    },
  })
}

function tierOf(settings: PlacedSettings, counters: Counters): Tier {
  const store = new TierStore(settings, counters)
  const unconfirmed = new UnconfirmedKeys(settings)
  return settings.leases
    ? new LeasedTier(store, unconfirmed, settings, counters)
    : new PlainTier(store, unconfirmed)
}

/** What a store tells of the hashes of keys names none that is kept here: nothing would ever be voided. */
function refuseHashedNames(below: Capabilities, bus: InvalidationBus | undefined): void {
  if (bus?.storeTells !== true || !hidesNames(below)) return
  throw new StoreError(
    'INVALID_CONFIG',
    'The store tells of hashed key names, which this cache does not know: put it below the encryption, or give it a bus on which caches tell each other, such as pubSubBus.',
  )
}

function refuseLeak(
  { sealed }: Capabilities,
  { store, plaintext }: Pick<StoreCacheSettings, 'store' | 'plaintext'>,
): void {
  if (!sealed || store.capabilities.sealed || plaintext === 'allowed') return
  const remedy = `put the cache below the encryption, encrypt the cache store too, or say plaintext: 'allowed'`
  throw new StoreError(
    'INVALID_CONFIG',
    `The cache would keep plain text of a sealed store in ${store.name}: ${remedy}.`,
  )
}

/** A warm restart hides names in its records; a cache store has records under them. */
function refuseNames(
  below: Capabilities,
  { store, plaintext }: Pick<StoreCacheSettings, 'store' | 'plaintext'>,
): void {
  if (!showsNamesOf(below, store.capabilities) || plaintext === 'allowed') return
  const remedy = `give the encryption of the cache store names, too, put the cache below the encryption, or say plaintext: 'allowed'`
  throw new StoreError(
    'INVALID_CONFIG',
    `The cache would keep key names that are hashed below in ${store.name}: ${remedy}.`,
  )
}

function unaskable(name: string): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    `${name} cannot be asked whether a version is still the same, which localTier: 'validated' does on each hit.`,
  )
}

function unplaced(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'This cache is in no stack yet, so nobody knows where its records lie. Put it into one, or give it a namespace.',
  )
}
