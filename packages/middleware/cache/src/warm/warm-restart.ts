import { isStoreError, StoreError } from '@unikv/core'
import { AbortController, clearTimeout, performance, setTimeout } from '@unikv/core/platform'
import type { WarmCache } from './warm-cache.ts'
import { type Limits, WarmFiles } from './warm-files.ts'
import { WarmLoader } from './warm-load.ts'
import type { PlacedWarmSettings } from './warm-options.ts'
import { type WarmSaved, WarmSaver } from './warm-save.ts'
import type { WarmCounters } from './warm-stats.ts'
import { WarmValues } from './warm-values.ts'

/** The warm restart of one cache: loads when it is made, saves when it is asked to, on a schedule, and when it is closed. */
export class WarmRestart {
  /** Resolves when the load has ended, with or without an error. */
  readonly loaded: Promise<void>
  readonly #files: WarmFiles
  readonly #saver: WarmSaver
  readonly #settings: PlacedWarmSettings
  readonly #counters: WarmCounters
  readonly #stop = new AbortController()
  #save: Promise<WarmSaved> | undefined
  #timer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(cache: WarmCache, settings: PlacedWarmSettings, counters: WarmCounters) {
    const values = new WarmValues(settings)
    this.#settings = settings
    this.#counters = counters
    this.#files = new WarmFiles(settings, cache.clock)
    this.#saver = new WarmSaver(cache, this.#files, values, settings, counters)
    this.loaded = this.#load(cache, new WarmLoader(cache, this.#files, values, settings, counters))
  }

  /**
   * Save what is there now. One that is under way is joined; one that is asked for during the load comes after it.
   *
   * @throws {StoreError} of the store; `CLOSED`
   */
  save(): Promise<WarmSaved> {
    if (this.#closing !== undefined) return Promise.reject(closed())
    this.#save ??= this.#saveOnce()
    return this.#save
  }

  /** Save for the last time and close the store, for no longer than `timeoutMs`. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #load(cache: WarmCache, loader: WarmLoader): Promise<void> {
    const touched = cache.startRestore()
    // A store that answers at once must not hold up the code that makes the stack.
    await Promise.resolve()
    try {
      await loader.load(touched, this.#limits())
    } catch (error) {
      this.#failed(error)
    } finally {
      cache.endRestore()
      this.#schedule()
    }
  }

  async #saveOnce(): Promise<WarmSaved> {
    try {
      await this.loaded
      if (this.#stop.signal.aborted) throw closed()
      return await this.#saver.save(this.#limits())
    } catch (error) {
      this.#failed(error)
      throw error
    } finally {
      this.#save = undefined
    }
  }

  #schedule(): void {
    const { everyMs } = this.#settings
    if (everyMs === undefined || this.#closing !== undefined) return
    this.#timer = setTimeout(() => {
      void this.save()
        .catch(() => {}) // counted
        .finally(() => this.#schedule())
    }, everyMs)
    this.#timer.unref()
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#stop.abort()
        resolve()
      }, this.#settings.timeoutMs)
    })
    await Promise.race([this.#end(), late])
    clearTimeout(timer)
  }

  /** A cache that is not loaded yet knows less than what was saved: that stays, if there is no time to wait for it. */
  async #end(): Promise<void> {
    try {
      await this.#save?.catch(() => {})
      await this.#saveOnce()
    } catch {
      // counted
    }
    try {
      await this.#files.close()
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const isOurs = isStoreError(error) && (error.code === 'ABORTED' || error.code === 'CLOSED')
    if (!isOurs) this.#counters.errors++
  }

  #limits(): Limits {
    return { deadlineAt: performance.now() + this.#settings.timeoutMs, signal: this.#stop.signal }
  }
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'The stack of this cache is closed, so it has nothing to save.')
}
