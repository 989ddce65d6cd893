import {
  type Awaitable,
  type Bytes,
  type Entry,
  isEntry,
  isStoreError,
  newVersion,
  type ReadResult,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { callOptions, checkedKey, Turns } from '@unikv/core/adapter'
import { ownSignal } from '@unikv/core/platform'
import { type Counters, newCounters, statsOf } from '../cache-stats.ts'
import { Failure } from '../loads/answer.ts'
import { Due } from '../loads/due.ts'
import { type KeyLoader, keptOnly, LoaderCall, Loading } from '../loads/loading.ts'
import { ObjectCache } from '../object/object-cache.ts'
import { keyOf, tagsToInvalidate } from '../tags/tag-names.ts'
import { unwritten } from '../unwritten.ts'
import { copied } from '../values/sharing.ts'
import { type BulkLoader, oneByOne } from './bulk-load.ts'
import type { Cache, ExplicitStats, Found, WrapOptions } from './cache-api.ts'
import {
  type CachedOptions,
  type CacheSettings,
  checkCall,
  type PutOptions,
  untaggable,
} from './explicit-options.ts'
import {
  checkFacts,
  entryOfLoaded,
  expiryOf,
  Loaded,
  type Loader,
  type LoadResult,
  Unchanged,
} from './loaded.ts'
import { LoaderSource } from './loader-source.ts'
import { LowerTier } from './lower-tier.ts'
import { refuse } from './refuse.ts'
import { Waiters } from './waiters.ts'

/** Who is asked for the length of a key. */
const keeper = { name: 'cache', capabilities: { maxKeyBytes: 65_536 } } as Parameters<typeof checkedKey>[0]

/** The cache of the layers, with loaders in the place of the store. */
export class ExplicitCache<V> implements Cache<V> {
  readonly #settings: CacheSettings
  readonly #counters: Counters = newCounters()
  readonly #source: LoaderSource
  readonly #near: ObjectCache
  readonly #below: LowerTier | undefined
  readonly #renews: boolean
  readonly #turns = new Turns()
  readonly #waiters = new Waiters()
  #closing: Promise<void> | undefined

  constructor(settings: CacheSettings) {
    const { near, below } = settings
    this.#settings = settings
    this.#renews = near.beta > 0
    this.#source = new LoaderSource({
      clock: near.clock,
      counters: this.#counters,
      mayTag: below === undefined,
      kept: (key) => (below === undefined ? undefined : this.#near.revalidatable(key)),
    })
    this.#below = below && new LowerTier(this.#source, below.options, below.codec)
    // What the second tier has is revalidated there: then it is renewed there too.
    this.#near = new ObjectCache(this.#below ?? this.#source, below === undefined, near, this.#counters)
  }

  cached<R extends LoadResult<V>>(
    key: string,
    load: Loader<V, R>,
    options?: CachedOptions,
  ): Promise<Found<V, R>> {
    return this.#answer('cached', key, load, options, valueOf) as Promise<Found<V, R>>
  }

  cachedEntry(key: string, load: Loader<V>, options?: CachedOptions): Promise<Entry<V> | undefined> {
    return this.#answer('cachedEntry', key, load, options, entryItself) as Promise<Entry<V> | undefined>
  }

  async cachedMany(
    keys: Iterable<string>,
    loadMany: BulkLoader<V>,
    options: CachedOptions = {},
  ): Promise<Map<string, V>> {
    const asked = this.#names('cachedMany', keys)
    this.#checkCall(options)
    if (typeof loadMany !== 'function')
      throw new StoreError('INVALID_ARGUMENT', 'Give a function that loads several keys.')
    const call = this.#call(oneByOne(loadMany, keyOf), options)
    const canonical = Array.from(asked.values())
    const results = await this.#waitFor('cachedMany', canonical, call, () =>
      this.#near.find(
        canonical.map((key) => ({ key })),
        call,
      ),
    )
    const found = Array.from(asked.keys(), (key, i) => [key, foundIn(results[i])?.value] as const)
    return new Map(found.filter(([, value]) => value !== undefined)) as Map<string, V>
  }

  get(key: string): Promise<V | undefined> {
    return promised(() => this.#find('get', key, valueOf)) as Promise<V | undefined>
  }

  getEntry(key: string): Promise<Entry<V> | undefined> {
    return promised(() => this.#find('getEntry', key, entryItself)) as Promise<Entry<V> | undefined>
  }

  peek(key: string): V | undefined {
    return valueOf(this.#hit(this.#canonical(key)) ?? undefined) as V | undefined
  }

  async put(key: string, value: V, options: PutOptions = {}): Promise<void> {
    const canonical = this.#canonical(key)
    if (value === undefined)
      throw new StoreError('INVALID_VALUE', 'undefined cannot be kept: use invalidate, or null as a value.')
    if (value instanceof Loaded || value instanceof Unchanged)
      throw new StoreError('INVALID_VALUE', 'Put the value itself, and what is known of it as options.')
    checkFacts('put', options)
    this.#checkTagged(options)
    const own = this.#own(value, options)
    const below = this.#below
    const { born } = this.#near
    if (below === undefined) return this.#keep(canonical, own, born)
    await this.#turns.take([canonical], async () => {
      const { encoded, value: read } = await this.#coded(canonical, own.value, below)
      await this.#keep(canonical, new Loaded(read, own.facts), born, () =>
        below.replace(canonical, new Loading(() => own, {}, encoded)),
      )
    })
  }

  /** A value as the second tier holds it, and as it is read there. A codec may ask others, such as a schema that waits. */
  #coded(key: string, value: unknown, below: LowerTier): Promise<{ encoded: Bytes; value: unknown }> {
    const call = new LoaderCall(undefined, this.#settings.timeoutMs)
    return this.#waitFor('put', [key], call, async () => {
      const encoded = await below.encode(key, value)
      return { encoded, value: await below.decode(key, encoded) }
    })
  }

  async invalidate(key: string): Promise<void> {
    return this.invalidateMany([key])
  }

  async invalidateMany(keys: Iterable<string>): Promise<void> {
    const canonical = Array.from(this.#names('invalidateMany', keys).values())
    const mutations = canonical.map((key) => ({ type: 'delete' as const, key, version: newVersion() }))
    const remove = async (): Promise<void> => refuse(await this.#near.write(mutations, callOptions()))
    if (canonical.length > 0)
      await (this.#below === undefined ? remove() : this.#turns.take(canonical, remove))
  }

  async expire(key: string): Promise<void> {
    const canonical = this.#canonical(key)
    const below = this.#below
    const { mutations } = unwritten([canonical])
    if (below === undefined) return this.#near.changes.expire(canonical, undefined)
    await this.#turns.take([canonical], async () =>
      this.#near.changes.expire(canonical, () => below.write(mutations, callOptions())),
    )
  }

  async invalidateTags(tags: string | Iterable<string>): Promise<void> {
    if (this.#closing !== undefined) throw closed()
    const names = tagsToInvalidate(tags)
    try {
      // Else who comes meanwhile would bring here what lies there.
      await this.#below?.invalidateTags(names)
    } finally {
      await this.#near.invalidateTags(names)
    }
  }

  async revalidate<R extends LoadResult<V>>(
    key: string,
    load: Loader<V, R>,
    options: CachedOptions = {},
  ): Promise<Found<V, R>> {
    const canonical = this.#canonical(key)
    this.#checkCall(options)
    const entry = await this.#load('revalidate', canonical, load, options, 'strong')
    return valueOf(entry) as Found<V, R>
  }

  wrap<A extends readonly unknown[], R extends LoadResult<V>>(
    fn: (...args: A) => Awaitable<R>,
    settings: WrapOptions<A>,
  ): (...args: A) => Promise<Found<V, R>> {
    const { key, ...options } = Object(settings) as WrapOptions<A>
    if (typeof fn !== 'function' || typeof key !== 'function')
      throw new StoreError('INVALID_ARGUMENT', 'wrap() takes a function, and { key: (...args) => string }.')
    this.#checkCall(options)
    return (...args) => promised(() => this.cached<R>(key(...args), () => fn(...args), options))
  }

  stats(): ExplicitStats {
    const near = statsOf(this.#settings.near.tier, this.#counters, this.#near.size)
    const bus = this.#near.busStats
    return { ...near, ...(bus && { bus }), below: this.#below?.stats() }
  }

  clear(): void {
    this.#near.clear()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#waiters.drained(this.#settings.graceMs)
    this.#waiters.dismiss(closed)
    this.#source.abort()
    await this.#turns.ended()
    await this.#near.close()
    await this.#below?.close()
  }

  /** A hit costs a look and a promise. */
  #answer(
    operation: string,
    key: string,
    load: Loader<V>,
    options: CachedOptions | undefined,
    finish: (entry: Entry<unknown> | undefined) => unknown,
  ): Promise<unknown> {
    return promised(() => {
      const canonical = this.#canonical(key)
      if (options !== undefined) this.#checkCall(options)
      const due = this.#renews ? new Due() : undefined
      const entry = options?.signal?.aborted === true ? undefined : this.#near.hit(canonical, due)
      if (entry !== undefined) {
        if (due !== undefined && due.reads.length > 0) this.#renew(due, load, options)
        return finish(entry ?? undefined)
      }
      return this.#load(operation, canonical, load, options ?? {}).then(finish)
    })
  }

  /** Load behind the answer what is to be renewed before it ends. */
  #renew(due: Due, load: Loader<V>, options: CachedOptions = {}): void {
    const { timeoutMs = this.#settings.timeoutMs } = options
    this.#near.renew(due, new LoaderCall(new Loading(load, options), timeoutMs))
  }

  async #load(
    operation: string,
    key: string,
    load: Loader<V>,
    options: CachedOptions,
    consistency?: string,
  ): Promise<Entry<unknown> | undefined> {
    if (typeof load !== 'function')
      throw new StoreError('INVALID_ARGUMENT', 'Give a function that loads the key.')
    const call = this.#call(load, options, consistency)
    return this.#wait(operation, key, call, () => this.#near.read([{ key }], call))
  }

  #call(load: KeyLoader, options: CachedOptions, consistency?: string): LoaderCall {
    const { timeoutMs = this.#settings.timeoutMs, signal } = options
    return new LoaderCall(new Loading(load, options), timeoutMs, ownSignal(signal), consistency)
  }

  /** In this process, else in the second tier, as what is kept only. */
  #find(
    operation: string,
    key: string,
    finish: (entry: Entry<unknown> | undefined) => unknown,
  ): Awaitable<unknown> {
    const canonical = this.#canonical(key)
    const near = this.#hit(canonical)
    const below = this.#below
    if (near !== undefined || below === undefined) return finish(near ?? undefined)
    const call = new LoaderCall(undefined, this.#settings.timeoutMs, undefined, keptOnly)
    const read = () => below.read([{ key: canonical }], call)
    return this.#near.look(canonical, () => this.#wait(operation, canonical, call, read)).then(finish)
  }

  #hit(key: string): Entry<unknown> | null | undefined {
    const entry = this.#near.hit(key)
    if (entry === undefined) this.#counters.misses++
    return entry
  }

  async #wait(
    operation: string,
    key: string,
    call: LoaderCall,
    ask: () => Awaitable<readonly ReadResult<unknown>[]>,
  ): Promise<Entry<unknown> | undefined> {
    const [result] = await this.#waitFor(operation, [key], call, ask)
    return foundIn(result)
  }

  async #waitFor<T>(
    operation: string,
    keys: readonly string[],
    call: LoaderCall,
    ask: () => Awaitable<T>,
  ): Promise<T> {
    const abandon = (): void => {
      for (const key of keys) this.#source.abandon(key)
    }
    try {
      return await this.#waiters.wait(call, async () => ask(), abandon)
    } catch (error) {
      // Of this caller alone: what the loader said passes as it is.
      const key = keys.length === 1 ? keys[0] : undefined
      throw call.settled ? toStoreError(error, { operation, store: keeper.name, key }) : error
    }
  }

  /** What was put stays its owner's: it is copied before it is frozen. */
  #own(value: V, facts: PutOptions): Loaded<unknown> {
    const { version, freshForMs, tags } = facts
    const { share, clock } = this.#settings.near
    const expiresAt = expiryOf(facts, clock())
    return new Loaded(share === 'freeze' || share === 'copy' ? copied(value) : value, {
      version,
      expiresAt,
      freshForMs,
      tags,
    })
  }

  #keep(
    key: string,
    own: Loaded<unknown>,
    born: number,
    below?: () => Promise<readonly WriteResult[]>,
  ): Awaitable<void> {
    return this.#near.changes.put(key, entryOfLoaded(own, 0), { ...own.facts, born }, below)
  }

  #checkCall(options: CachedOptions): void {
    checkCall(options)
    this.#checkTagged(options)
  }

  #checkTagged({ tags }: { readonly tags?: readonly string[] | undefined }): void {
    if (tags !== undefined && this.#below !== undefined) throw untaggable('INVALID_ARGUMENT')
  }

  /** Canonical keys by those of the application, each once. */
  #names(operation: string, keys: Iterable<string>): ReadonlyMap<string, string> {
    if (
      typeof keys === 'string' ||
      typeof (keys as Partial<Iterable<string>>)?.[Symbol.iterator] !== 'function'
    )
      throw new StoreError('INVALID_ARGUMENT', `${operation}() takes an iterable of keys, such as an array.`)
    return new Map(Array.from(keys, (key) => [key, this.#canonical(key)]))
  }

  #canonical(key: string): string {
    if (this.#closing !== undefined) throw closed()
    return checkedKey(keeper, '', key)
  }
}

/** The answer as a promise, also if there is none. */
function promised<T>(run: () => Awaitable<T>): Promise<T> {
  try {
    return Promise.resolve(run())
  } catch (error) {
    return Promise.reject(error) // oxlint-disable-line prefer-promise-reject-errors -- it is one, caught
  }
}

function valueOf(entry: Entry<unknown> | undefined): unknown {
  return entry?.value
}

function entryItself(entry: Entry<unknown> | undefined): Entry<unknown> | undefined {
  return entry
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'This cache is closed. Make a new one.')
}

/** @throws what the item is, or failed with */
function foundIn(result: ReadResult<unknown> | Failure): Entry<unknown> | undefined {
  if (result instanceof Failure) throw result.error
  if (isStoreError(result)) throw result
  return result !== undefined && isEntry(result) ? result : undefined
}
