import { type Awaitable, toStoreError } from '@unikv/core'
import { type Call, Turns } from '@unikv/core/adapter'
import { type Counters, newCounters } from '../cache-stats.ts'
import { ObjectCache } from '../object/object-cache.ts'
import type { CacheSettings } from './explicit-options.ts'
import { Keys, keeper } from './keys.ts'
import { LoaderSource } from './loader-source.ts'
import { LowerTier } from './lower-tier.ts'
import { Waiters } from './waiters.ts'

/** Parts of an explicit cache: the cache of the layers, with loaders in the place of the store. */
export class ExplicitParts {
  readonly settings: CacheSettings
  readonly counters: Counters = newCounters()
  readonly keys: Keys = new Keys()
  readonly source: LoaderSource
  readonly near: ObjectCache
  /** The second tier. */
  readonly below: LowerTier | undefined
  readonly turns: Turns = new Turns()
  readonly waiters: Waiters = new Waiters()

  constructor(settings: CacheSettings) {
    const { near, below } = settings
    this.settings = settings
    this.source = new LoaderSource({
      clock: near.clock,
      counters: this.counters,
      mayTag: below === undefined,
      kept: (key) => (below === undefined ? undefined : this.near.revalidatable(key)),
    })
    this.below = below && new LowerTier(this.source, below.options, below.codec)
    // Entries of the second tier are revalidated there, so that they are renewed there too.
    this.near = new ObjectCache(this.below ?? this.source, below === undefined, near, this.counters)
  }

  /** Wait for what is asked of these keys, for as long as this caller does. */
  async wait<T>(operation: string, keys: readonly string[], call: Call, ask: () => Awaitable<T>): Promise<T> {
    const abandon = (): void => {
      for (const key of keys) this.source.abandon(key)
    }
    try {
      return await this.waiters.wait(call, async () => ask(), abandon)
    } catch (error) {
      // Errors of this call get their context; those of the loader pass as they are.
      const key = keys.length === 1 ? keys[0] : undefined
      throw call.settled ? toStoreError(error, { operation, store: keeper.name, key }) : error
    }
  }
}
