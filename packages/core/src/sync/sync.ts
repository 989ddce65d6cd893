import type { Awaitable } from '../contract/awaitable.ts'
import type { Capabilities, ScanCapability } from '../contract/capabilities.ts'
import { isConditionFailed } from '../contract/entry.ts'
import { StoreError } from '../contract/errors.ts'
import type { Entry, NotModified, Page, ScanRange, Version, Written } from '../contract/store.ts'
import { AtOnce, atHand, neverAtOnce } from '../key-value/at-once.ts'
import { Clearing } from '../key-value/clear.ts'
import { Direct } from '../key-value/direct.ts'
import type { Engine } from '../key-value/engine.ts'
import { outcomeOf } from '../key-value/finish.ts'
import { type Deleted, type Head, type Keys, type KeyValueBase, remove } from '../key-value/key-value.ts'
import { entryItem, type ItemOf, keyItem, Listing } from '../key-value/listing.ts'
import { deleteMany, getMany, setMany, write } from '../key-value/many.ts'
import type {
  CallSettings,
  ClearOptions,
  CountOptions,
  DeleteOptions,
  IncrementOptions,
  ScanOptions,
  SetManyEntry,
  SetManyOptions,
  SetOptions,
  TouchOptions,
  UpdateOptions,
  WriteItem,
  WriteOptions,
} from '../key-value/settings.ts'
import { atOnce, type Change, checkTake, checkUpdate, expiryOf, mutationOf } from '../key-value/update.ts'
import type { View } from '../key-value/view.ts'
import { isIterable } from '../stack/pages.ts'

/**
 * The methods of a KeyValue without promises. An operation that the store does not declare throws `UNSUPPORTED`, as with
 * promises.
 */
export interface SyncKeyValue<in out K, in out V> {
  /** Name of the store, for errors and reports. */
  readonly name: string
  /** The driver's own client, through every layer. */
  readonly native: unknown
  /** As `KeyValue.get`: the value, or `undefined` if there is none. */
  get(key: K, settings?: CallSettings): V | undefined
  /** As `KeyValue.getEntry`: value, version and expiry. */
  getEntry(key: K, settings?: CallSettings): Entry<V> | undefined
  /** As `KeyValue.getMany`: values aligned with the keys, or `PARTIAL`. */
  getMany(keys: Keys<K>, settings?: CallSettings): (V | undefined)[]
  /** As `KeyValue.has`. */
  has(key: K, settings?: CallSettings): boolean
  /** As `KeyValue.head`: version and expiry. */
  head(key: K, settings?: CallSettings): Head | undefined
  /** As `KeyValue.revalidate`: needs `conditionalRead`. */
  revalidate(key: K, version: Version, settings?: CallSettings): Entry<V> | NotModified | undefined
  /** As `KeyValue.set`: without `ttlMs` an earlier expiry is removed. */
  set(key: K, value: V, options?: SetOptions | SyncSettings): Written
  /** As `KeyValue.setMany`: item by item, or `PARTIAL`. */
  setMany(entries: Iterable<SetManyEntry<K, V>>, options?: SetManyOptions | SyncSettings): Written[]
  /** As `KeyValue.delete`: an absent key is a success. */
  delete(key: K, options?: DeleteOptions | SyncSettings): Deleted
  /** As `KeyValue.deleteMany`: item by item, or `PARTIAL`. */
  deleteMany(keys: Keys<K>, settings?: CallSettings): Deleted[]
  /** As `KeyValue.write`: one batch of sets and deletes. */
  write(items: Iterable<WriteItem<K, V>>, options?: WriteOptions | SyncSettings): Written[]
  /** As `KeyValue.update`, without pauses between attempts. */
  update(key: K, change: Change<V>, options?: UpdateOptions | SyncSettings): V | undefined
  /** As `KeyValue.take`: the value, which is deleted. */
  take(key: K, settings?: CallSettings): V | undefined
  /** As `KeyValue.touch`: whether the key was there. */
  touch(key: K, options: TouchOptions): boolean
  /** As `KeyValue.increment`: the new number. */
  increment(key: K, by?: number, options?: IncrementOptions | SyncSettings): number
  /** As `KeyValue.incrementEntry`: the new number with version and expiry. */
  incrementEntry(key: K, by?: number, options?: IncrementOptions | SyncSettings): Entry<number>
  /** As `KeyValue.keys`, one page after the other as it is iterated. */
  keys(options?: ScanOptions<K> | SyncRange<K>): Iterable<K>
  /** As `KeyValue.entries`, one page after the other as it is iterated. */
  entries(options?: ScanOptions<K> | SyncRange<K>): Iterable<readonly [K, Entry<V>]>
  /** As `KeyValue.count`: walks the keys. */
  count(options?: CountOptions<K>): number
  /** As `KeyValue.clear`: returns how many keys went. */
  clear(what: ClearOptions<K>): number
  /** As `KeyValue.namespace`: an immutable view of the keys under this name. */
  namespace(name: string): SyncKeyValue<K, V>
}

/** Settings of a write, checked at run time. */
export interface SyncSettings extends CallSettings {
  readonly ttlMs?: number | 'keep' | undefined
  readonly expiresAt?: number | undefined
  readonly atomic?: boolean | undefined
  readonly ifVersion?: Version | null | undefined
  readonly initial?: number | undefined
}

/** A range, checked at run time. */
export type SyncRange<K> = ScanOptions<K, Listed>

/** A store that lists in order, for the types: the synchronous twin checks the store when it is called. */
interface Listed extends Capabilities {
  readonly scan: ScanCapability & { readonly order: 'bytes' }
}

/**
 * The synchronous twin of a KeyValue whose whole stack answers without promises: memory, LMDB, cached reads.
 * Elsewhere every call throws `UNSUPPORTED` before anything is sent; for such stores `@unikv/sync` has
 * `syncFrom`, which blocks on a worker thread.
 *
 * @throws {StoreError} `UNSUPPORTED` if the stack never answers at once, or the KeyValue is not of `keyValue(…)`
 */
export function sync<K, V>(kv: KeyValueBase<K, V>): SyncKeyValue<K, V> {
  const view = kv as unknown as Partial<View<K, V>>
  if (view['~direct'] === undefined)
    throw new StoreError('UNSUPPORTED', 'sync() takes a KeyValue made by keyValue().')
  if (kv.capabilities.sync === 'none') throw neverAtOnce(kv.name)
  return new SyncView(kv as unknown as View<K, V>)
}

class SyncView<K, V> implements SyncKeyValue<K, V> {
  readonly #view: View<K, V>
  readonly #direct: Direct<K, V>

  constructor(view: View<K, V>) {
    const { engine, prefix, codec } = view['~direct']
    this.#view = view
    this.#direct = new Direct(new AtOnce(engine) as unknown as Engine, prefix, codec)
  }

  get name(): string {
    return this.#view.name
  }

  get native(): unknown {
    return this.#view.native
  }

  get(key: K, settings?: CallSettings): V | undefined {
    return this.#now(this.#direct.get(key, settings))
  }

  getEntry(key: K, settings?: CallSettings): Entry<V> | undefined {
    return this.#now(this.#direct.getEntry(key, settings))
  }

  getMany(keys: Keys<K>, settings?: CallSettings): (V | undefined)[] {
    return this.#now(getMany(this.#direct, keys, settings))
  }

  has(key: K, settings?: CallSettings): boolean {
    return this.#now(this.#direct.has(key, settings))
  }

  head(key: K, settings?: CallSettings): Head | undefined {
    return this.#now(this.#direct.head(key, settings))
  }

  revalidate(key: K, version: Version, settings?: CallSettings): Entry<V> | NotModified | undefined {
    return this.#now(this.#direct.revalidate(key, version, settings))
  }

  set(key: K, value: V, options?: SetOptions): Written {
    return this.#now(this.#writing.set(key, value, options))
  }

  setMany(entries: Iterable<SetManyEntry<K, V>>, options?: SetManyOptions): Written[] {
    return this.#now(setMany(this.#writing, entries, options))
  }

  delete(key: K, options?: DeleteOptions): Deleted {
    return this.#now(this.#writing.delete(key, options))
  }

  deleteMany(keys: Keys<K>, settings?: CallSettings): Deleted[] {
    return this.#now(deleteMany(this.#writing, keys, settings))
  }

  write(items: Iterable<WriteItem<K, V>>, options?: WriteOptions): Written[] {
    return this.#now(write(this.#writing, items, options))
  }

  update(key: K, change: Change<V>, options?: UpdateOptions): V | undefined {
    checkUpdate(this.#writing, change, options)
    return this.#update('update', key, change, options)
  }

  take(key: K, settings?: CallSettings): V | undefined {
    checkTake(this.#writing, settings)
    let taken: V | undefined
    const takes: Change<V> = (value) => {
      taken = value
      return remove
    }
    this.#update('take', key, takes, settings)
    return taken
  }

  #update(operation: string, key: K, change: Change<V>, settings?: UpdateOptions): V | undefined {
    const direct = this.#writing
    const canonical = direct.canonical(key)
    const { timeoutMs, signal, consistency } = settings ?? {}
    const call = { timeoutMs, signal, consistency }
    for (let attempt = 0; attempt < 16; attempt++) {
      const { engine } = direct
      const read = engine.read(operation, [{ key: canonical }], engine.call(call), direct.foundOf as never)
      const entry = this.#now(read as Awaitable<Entry<V> | undefined>)
      const expiresAt = expiryOf(direct, settings)
      const changed = atOnce(change(entry?.value, entry))
      const next = changed !== undefined && direct.hasPassed(expiresAt) ? remove : changed
      if (next === undefined) return entry?.value
      if (next === remove && entry === undefined) return undefined
      const mutation = mutationOf(canonical, next, entry, expiresAt)
      const result = this.#now(direct.mutate(operation, mutation, call, outcomeOf))
      if (!isConditionFailed(result)) return next === remove ? undefined : direct.own(next)
    }
    throw new StoreError(
      'CONDITION_FAILED',
      'Other writers changed the record first, 16 times; nothing was changed.',
      {
        operation,
        retryable: true,
      },
    )
  }

  touch(key: K, options: TouchOptions): boolean {
    return this.#now(this.#writing.touch(key, options))
  }

  increment(key: K, by?: number, options?: IncrementOptions): number {
    return this.#now(this.#writing.increment(key, by, options))
  }

  incrementEntry(key: K, by?: number, options?: IncrementOptions): Entry<number> {
    return this.#now(this.#writing.incrementEntry(key, by, options))
  }

  *keys(options: ScanOptions<K> = {}): Generator<K> {
    yield* this.#list('keys', options, false, keyItem<K>)
  }

  *entries(options: ScanOptions<K> = {}): Generator<readonly [K, Entry<V>]> {
    yield* this.#list('entries', options, true, entryItem<K, V>)
  }

  count(options: CountOptions<K> = {}): number {
    let count = 0
    for (const _ of this.#list('count', options, false, keyItem<K>)) count++
    return count
  }

  clear(what: ClearOptions<K>): number {
    const clearing = new Clearing(this.#writing, this.#view.segments, what)
    let cleared = 0
    try {
      for (const range of clearing.ranges)
        for (const page of this.#pages('clear', range, what)) cleared = this.#now(clearing.page(page))
    } catch (error) {
      throw clearing.ended(error)
    }
    return cleared
  }

  namespace(name: string): SyncKeyValue<K, V> {
    return new SyncView(this.#view.namespace(name))
  }

  *#list<T>(
    operation: string,
    options: ScanOptions<K>,
    values: boolean,
    item: ItemOf<K, V, T>,
  ): Generator<T> {
    const listing = new Listing(this.#direct, operation, options, values, item)
    for (const page of this.#pages(
      operation,
      listing.range,
      this.#direct.engine.readSettings(options) ?? {},
    )) {
      yield* listing.page(page).items
      if (listing.isOver()) return
    }
  }

  *#pages(operation: string, range: ScanRange, settings: CallSettings): Generator<Page<V>> {
    const { engine } = this.#direct
    try {
      const pages = engine.store.scan(range, engine.call(settings))
      if (!isIterable(pages)) throw neverAtOnce(this.name)
      for (const page of pages) yield this.#now(page as Awaitable<Page<V>>)
    } catch (error) {
      throw engine.located(error, operation)
    }
  }

  /** The operations, if the store writes at once; refused before anything is sent if it does not. */
  get #writing(): Direct<K, V> {
    if (this.#view.capabilities.sync !== 'all') throw neverAtOnce(this.name)
    return this.#direct
  }

  #now<T>(answer: Awaitable<T>): T {
    return atHand(answer, this.name)
  }
}
