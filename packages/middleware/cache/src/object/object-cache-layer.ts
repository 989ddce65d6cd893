import { type PassThrough, passThrough, type Store } from '@unikv/core'
import {
  callOptions,
  hidesNames,
  layersThrough,
  levelsAbove,
  planCodec,
  understanding,
} from '@unikv/core/adapter'
import { AllBuses } from '../bus/all-buses.ts'
import type { CacheCapabilities, ObjectCacheLayer, WarmCacheLayer } from '../cache-layers.ts'
import { type Counters, newCounters, statsOf } from '../cache-stats.ts'
import { clearing } from '../clearing.ts'
import { hearLosses, losesWrites, refuseEarly } from '../early.ts'
import { type Forgetting, forgetting, invalidator } from '../invalidate.ts'
import { ending } from '../loads/renewal-options.ts'
import { nothingMore } from '../nothing-more.ts'
import {
  type ObjectCacheOptions,
  type ObjectCacheSettings,
  objectCacheSettings,
} from '../object-cache-options.ts'
import { refuseHashedNames, refuseLeak, unaskable } from '../refusals.ts'
import { filling } from '../strong.ts'
import { tagsToInvalidate, untagged } from '../tags/tag-names.ts'
import { WarmStack } from '../warm/warm-stack.ts'
import { ObjectCache } from './object-cache.ts'

type Wrapped = ReturnType<Parameters<typeof passThrough<CacheCapabilities>>[1]['wrap']>

/** One layer, over all stacks that it is in. */
interface Placed {
  readonly settings: ObjectCacheSettings
  readonly warm: WarmStack | undefined
  readonly counters: Counters
  readonly caches: Set<ObjectCache>
  readonly buses: AllBuses
  readonly parts: Set<Forgetting>
}

/** The layer `cache()` without a store of its own. */
export function objectCache(options: ObjectCacheOptions): ObjectCacheLayer | WarmCacheLayer {
  const settings = ending(objectCacheSettings(options))
  const warm = settings.warm === undefined ? undefined : new WarmStack(settings.warm, settings)
  const placed: Placed = {
    settings,
    warm,
    counters: newCounters(),
    caches: new Set(),
    buses: new AllBuses(),
    parts: new Set(),
  }
  return Object.freeze({ ...layerOf(placed), ...handleOf(placed), ...warm?.handle })
}

function layerOf(placed: Placed): PassThrough<CacheCapabilities> {
  const { bus } = placed.settings
  return passThrough<CacheCapabilities>('cache', {
    capabilities: (inner) => ({
      isolation: 'eventual',
      consistency: levelsAbove(inner),
      // Others are told of a write before it is acknowledged, which takes time.
      ...(bus === undefined || inner.sync !== 'all' ? {} : { sync: 'reads' }),
    }),
    wrap: (inner) => wrapped(inner, placed),
  })
}

function wrapped(inner: Store<unknown>, { settings, warm, counters, caches, buses, parts }: Placed): Wrapped {
  checkPlace(inner, settings)
  warm?.checkUse(inner.capabilities)
  const below = understanding(inner)
  const { conditionalRead, sync } = inner.capabilities
  // An immediate answer needs no waiting.
  const background = sync === 'none' ? settings.background : undefined
  const isOfBytes = layersThrough(inner).every(({ layer }) => planCodec.of(layer.plan.facts) === undefined)
  const here = { ...settings, background, isOfBytes }
  const made = new ObjectCache(filling(inner, below), conditionalRead, here, counters)
  const leave = entered(caches, made, inner)
  const part = forgetting(inner, made.changes)
  parts.add(part)
  warm?.start(made.entries, inner)
  return {
    read: (reads, call) => made.read(reads, call),
    write: (mutations, call) => made.write(mutations, call),
    // Past the cache: only the store knows which of its records match.
    ...(below.find !== undefined && { find: below.find }),
    scan: clearing(below.scan, (prefixes, call) => made.changes.forget(prefixes, call), true),
    close: async () => {
      // A queue below tells only when it is closed which writes it has lost: those must not be saved.
      const below = losesWrites(inner) ? inner.close() : undefined
      await below?.catch(() => {})
      await warm?.close()
      leave()
      parts.delete(part)
      buses.leave(made)
      await made.close()
      await (below ?? inner.close())
    },
  }
}

/** @throws {StoreError} `INVALID_CONFIG` where this cache cannot do what it promises */
function checkPlace(inner: Store<unknown>, { warm, bus, localTier }: ObjectCacheSettings): void {
  const { capabilities } = inner
  if (warm !== undefined) refuseLeak(capabilities, warm)
  refuseHashedNames(capabilities, bus)
  if (bus !== undefined && bus.storeTells !== true) refuseEarly(inner, 'a bus')
  if (localTier === 'validated' && !capabilities.conditionalRead) throw unaskable(inner.name)
}

function handleOf({
  settings,
  warm,
  counters,
  caches,
  buses,
  parts,
}: Placed): Omit<ObjectCacheLayer, 'name' | 'plan'> {
  return {
    stats: () => ({
      ...statsOf(settings.tier, counters, sizeOf(caches)),
      ...(settings.bus === undefined ? {} : { bus: buses.stats(caches) }),
      ...warm?.stats,
    }),
    clear: (options?: unknown) => {
      nothingMore('clear', options)
      for (const one of caches) one.clear()
    },
    invalidate: invalidator(parts),
    invalidateTags: async (tags: string | Iterable<string>) => {
      if (settings.tags === undefined) throw untagged()
      const names = tagsToInvalidate(tags)
      await Promise.all(Array.from(caches, (one) => one.invalidateTags(names)))
    },
  }
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

function sizeOf(caches: ReadonlySet<ObjectCache>): { readonly entries: number; readonly bytes: number } {
  let entries = 0
  let bytes = 0
  for (const { size } of caches) {
    entries += size.entries
    bytes += size.bytes
  }
  return { entries, bytes }
}
