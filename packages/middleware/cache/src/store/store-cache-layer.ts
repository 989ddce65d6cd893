import { type Bytes, type Layer, layer, type Store, StoreError } from '@unikv/core'
import { holdStore, levelsAbove, understanding, unfailingNumbers, unfailingRandom } from '@unikv/core/adapter'
import { agingClock, wallClock } from '@unikv/core/platform'
import type { StoreCacheCapabilities, StoreCacheLayer } from '../cache-layers.ts'
import { type Counters, newCounters, statsOf } from '../cache-stats.ts'
import { clearing } from '../clearing.ts'
import { refuseEarly } from '../early.ts'
import { type Forgetting, forgetting, invalidator } from '../invalidate.ts'
import { RefreshAhead } from '../loads/refresh-ahead.ts'
import { ending } from '../loads/renewal-options.ts'
import { refuseLeak, refuseNames } from '../refusals.ts'
import {
  type PlacedSettings,
  type StoreCacheOptions,
  type StoreCacheSettings,
  storeCacheSettings,
} from '../store-cache-options.ts'
import { filling } from '../strong.ts'
import { tagsToInvalidate, untagged } from '../tags/tag-names.ts'
import { invalidateStored } from '../tier/invalidate-stored.ts'
import { LeasedTier } from '../tier/leased-tier.ts'
import { PlainTier } from '../tier/plain-tier.ts'
import type { Tier } from '../tier/tier.ts'
import { TierStore } from '../tier/tier-store.ts'
import { UnconfirmedKeys } from '../tier/unconfirmed-keys.ts'
import { Freshness } from './freshness.ts'
import { ownNamespace } from './own-namespace.ts'
import { StoreCache } from './store-cache.ts'
import { Validators } from './validators.ts'

type Wrapped = ReturnType<Parameters<typeof layer<Bytes, Bytes, StoreCacheCapabilities>>[1]['wrap']>

/** One layer, over all stacks that it is in. */
interface Placed {
  readonly settings: StoreCacheSettings
  readonly counters: Counters
  readonly parts: Set<Forgetting>
  readonly namespaces: Set<string>
}

/** The layer `cache({ store })`. */
export function storeCache(options: StoreCacheOptions): StoreCacheLayer {
  const settings = ending(storeCacheSettings(options))
  const namespaces = new Set(settings.namespace === undefined ? [] : [settings.namespace])
  const placed: Placed = { settings, counters: newCounters(), parts: new Set(), namespaces }
  return Object.freeze({ ...layerOf(placed), ...handleOf(placed) })
}

function layerOf(placed: Placed): Layer<Bytes, Bytes, StoreCacheCapabilities> {
  return layer<Bytes, Bytes, StoreCacheCapabilities>('cache', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: (inner) => ({ isolation: 'eventual', consistency: levelsAbove(inner), sync: 'none' }),
    wrap: (inner) => wrapped(inner, placed),
  })
}

function wrapped(inner: Store<Bytes>, { settings, counters, parts, namespaces }: Placed): Wrapped {
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
}

/** A tier rejects nothing, as what it does may come after a write was acknowledged: it has numbers that never fail. */
function tierOf(given: PlacedSettings, counters: Counters): Tier {
  const clock = unfailingNumbers('cache', 'clock', given.clock, wallClock)
  const monotonic = unfailingNumbers('cache', 'monotonicClock', given.monotonicClock, agingClock)
  const random = unfailingRandom('cache', given.random)
  const settings = { ...given, clock, monotonicClock: monotonic, random }
  const store = new TierStore(settings, counters)
  const unconfirmed = new UnconfirmedKeys(settings)
  return settings.leases
    ? new LeasedTier(store, unconfirmed, settings, counters)
    : new PlainTier(store, unconfirmed)
}

function handleOf({ settings, counters, parts, namespaces }: Placed): Omit<StoreCacheLayer, 'name' | 'plan'> {
  return {
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
  }
}

function unplaced(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'This cache is not in a stack yet, so the place of its records is not known. Put it into one, or give it a namespace.',
  )
}
