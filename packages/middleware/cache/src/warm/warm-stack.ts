import { type AnyStore, type Capabilities, StoreError } from '@unikv/core'
import { holdStore } from '@unikv/core/adapter'
import type { ObjectCacheSettings } from '../object-cache-options.ts'
import { ownNamespace } from '../store/own-namespace.ts'
import type { WarmCache } from './warm-cache.ts'
import type { WarmSettings } from './warm-options.ts'
import { WarmRestart } from './warm-restart.ts'
import type { WarmSaved } from './warm-save.ts'
import { newWarmCounters, type WarmStats } from './warm-stats.ts'

/** Operations on a cache whose hottest part survives a restart. */
export interface WarmHandle {
  /**
   * Save its hottest part now. One save that is under way is joined; during the load it waits for that.
   *
   * @throws {StoreError} of the store, and then what was saved before is still there; `CLOSED` before and after the stack
   */
  save(): Promise<WarmSaved>
  /** Resolves when what was saved has been loaded, as far as it can be; reads need not wait for it. Never rejects. */
  loaded(): Promise<void>
}

/** The warm restart of the one stack that a cache with `warm` may stand in. */
export class WarmStack {
  readonly handle: WarmHandle = {
    save: () => this.#restart?.save() ?? Promise.reject(notComposed()),
    loaded: () => this.#restart?.loaded ?? Promise.resolve(),
  }
  readonly #settings: WarmSettings
  readonly #ofCache: ObjectCacheSettings
  readonly #counters = newWarmCounters()
  #restart: WarmRestart | undefined

  constructor(settings: WarmSettings, ofCache: ObjectCacheSettings) {
    this.#settings = settings
    this.#ofCache = ofCache
  }

  /** @throws {StoreError} `INVALID_CONFIG` in a second stack, and where nothing that is loaded could be of use */
  checkUse({ conditionalRead, sync }: Capabilities): void {
    if (this.#restart !== undefined)
      throw invalid(
        'A cache with warm stands in one stack. Make a cache for each, with a namespace of its own.',
      )
    const { keepForMs, staleIfErrorMs, staleWhileRevalidateMs, background } = this.#ofCache
    // A store that answers at once needs no stale answer meanwhile.
    const renews = staleWhileRevalidateMs > 0 && background !== undefined && sync === 'none'
    const servesStale = staleIfErrorMs > 0 || renews
    if (this.#settings.resume === 'fresh' || (conditionalRead && keepForMs > 0) || servesStale) return
    throw invalid(
      "Nothing that warm loads could be used here: the store cannot revalidate. Give staleIfErrorMs, or resume: 'fresh'.",
    )
  }

  /** `inner`: the store of which the cache keeps values. */
  start(cache: WarmCache, inner: Pick<AnyStore, 'dataset'>): void {
    const { namespace = namespaceOf(inner) } = this.#settings
    holdStore(this.#settings.store)
    this.#restart = new WarmRestart(cache, { ...this.#settings, namespace }, this.#counters)
  }

  async close(): Promise<void> {
    await this.#restart?.close()
  }

  get stats(): { readonly warm: WarmStats } {
    return { warm: { ...this.#counters } }
  }
}

/** A store without a name for its dataset has another one in each process, and nothing would ever be loaded. */
function namespaceOf(inner: Pick<AnyStore, 'dataset'>): string {
  return inner.dataset?.startsWith('#') === true ? 'warm' : ownNamespace('warm', inner)
}

function notComposed(): StoreError {
  return new StoreError('CLOSED', 'This cache is not in a stack yet, so it has nothing to save.')
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
