import type { Awaitable } from '../contract/awaitable.ts'
import type {
  BatchCapability,
  Capabilities,
  ScanCapability,
  TtlCapability,
} from '../contract/capabilities.ts'
import { isConditionFailed } from '../contract/entry.ts'
import { StoreError } from '../contract/errors.ts'
import type { Entry, Page, ScanRange } from '../contract/store.ts'
import { Clearing } from '../key-value/clear.ts'
import { defineCalls, reads, writes } from '../key-value/define-calls.ts'
import { Direct } from '../key-value/direct.ts'
import type { Engine } from '../key-value/engine.ts'
import { outcomeOf } from '../key-value/finish.ts'
import {
  type Answering,
  type Call,
  type FullKeyValue,
  type KeyValueBase,
  remove,
} from '../key-value/key-value.ts'
import { entryItem, type ItemOf, keyItem, Listing } from '../key-value/listing.ts'
import type {
  CallSettings,
  ClearOptions,
  CountOptions,
  ScanOptions,
  UpdateOptions,
} from '../key-value/settings.ts'
import { atOnce, type Change, checkTake, checkUpdate, expiryOf, mutationOf } from '../key-value/update.ts'
import type { View } from '../key-value/view.ts'
import { isIterable } from '../stack/pages.ts'
import { AtOnce, atHand, neverAtOnce, stillRunning } from './at-once.ts'

/**
 * The methods of a KeyValue without promises. An operation that the store does not declare throws `UNSUPPORTED`, as with
 * promises. `update` makes no pauses between its attempts.
 */
export interface SyncKeyValue<in out K, in out V>
  extends Answering<
    Pick<FullKeyValue<K, V, Everything>, Call | 'update' | 'take' | 'count' | 'clear'>,
    'now'
  > {
  /** Name of the store, for errors and reports. */
  readonly name: string
  /** The driver's own client, through every layer. */
  readonly native: unknown
  /** As `KeyValue.keys`, one page after the other as it is iterated. */
  keys(options?: ScanOptions<K, Everything>): Iterable<K>
  /** As `KeyValue.entries`, one page after the other as it is iterated. */
  entries(options?: ScanOptions<K, Everything>): Iterable<readonly [K, Entry<V>]>
  /** As `KeyValue.namespace`: an immutable view of the keys under this name. */
  namespace(name: string): SyncKeyValue<K, V>
}

/** A store that can do everything, for the types: what it can is checked when it is called. */
export interface Everything extends Capabilities {
  readonly scan: ScanCapability & { readonly order: 'bytes'; readonly reverse: true }
  readonly ttl: TtlCapability
  readonly conditionalWrite: true
  readonly batch: BatchCapability & { readonly atomicity: 'all' }
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

// oxlint-disable-next-line no-unsafe-declaration-merging -- the static block of the class adds them
interface SyncView<K, V> extends Pick<SyncKeyValue<K, V>, Call> {}

class SyncView<K, V> implements SyncKeyValue<K, V> {
  static {
    defineCalls(this.prototype, reads, (view, name, work) => view.#at(name, work))
    defineCalls(this.prototype, writes, (view, name, work) => view.#at(name, () => work(view.#writing)))
  }

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

  update(key: K, change: Change<V>, options?: UpdateOptions): V | undefined {
    this.#at('update', () => checkUpdate(this.#writing, change, options))
    return this.#update('update', key, change, options)
  }

  take(key: K, settings?: CallSettings): V | undefined {
    this.#at('take', () => checkTake(this.#writing, settings))
    let taken: V | undefined
    const takes: Change<V> = (value) => {
      taken = value
      return remove
    }
    this.#update('take', key, takes, settings)
    return taken
  }

  #update(operation: string, key: K, change: Change<V>, settings?: UpdateOptions): V | undefined {
    const canonical = this.#at(operation, (direct) => direct.canonical(key))
    const { timeoutMs, signal, consistency } = settings ?? {}
    const call = { timeoutMs, signal, consistency }
    for (let attempt = 0; attempt < 16; attempt++) {
      const direct = this.#writing
      const entry = this.#at(operation, ({ engine, foundOf }) => {
        const read = engine.read(operation, [{ key: canonical }], engine.call(call), foundOf as never)
        return read as Awaitable<Entry<V> | undefined>
      })
      const expiresAt = this.#at(operation, () => expiryOf(direct, settings))
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

  clear(what: ClearOptions<K, Everything>): number {
    const clearing = new Clearing(this.#writing, this.#view.segments, what as ClearOptions<K>)
    this.#settled('clear', clearing.prefixes)
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
    this.#settled(operation, [listing.range.prefix])
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

  /** Reject a listing or `clear` beside an earlier write that it would have to wait for. */
  #settled(operation: string, prefixes: readonly string[]): void {
    const { engine } = this.#direct
    if (engine.writing(prefixes).length > 0)
      throw engine.located(stillRunning('write of one of these keys'), operation)
  }

  /** The answer, or an error that tells the operation. */
  #at<T>(operation: string, work: (direct: Direct<K, V>) => Awaitable<T>): T {
    try {
      return this.#now(work(this.#direct))
    } catch (error) {
      throw this.#direct.engine.refused(error, operation)
    }
  }

  #now<T>(answer: Awaitable<T>): T {
    return atHand(answer, this.name)
  }
}
