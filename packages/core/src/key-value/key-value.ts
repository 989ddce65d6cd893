import type { Awaitable } from '../contract/awaitable.ts'
import type { Capabilities, ScanCapability } from '../contract/capabilities.ts'
import type { Totals } from '../contract/query.ts'
import type { Entry, NotModified, Version, Written } from '../contract/store.ts'
import type { AggregateOptions, ByScan, FindOptions } from '../find/options.ts'
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
} from './settings.ts'

/**
 * A typed map over any stack, which the application holds. `keyValue(…)` returns one; a class of your own may
 * implement it. Every method returns a promise and every call settles within its deadline.
 *
 * Operations that need a capability are there only if the store declares it: a missing one is a compile error,
 * and `UNSUPPORTED` at run time. `KeyValue<K, V>` without further parameters takes any store.
 */
export type KeyValue<K, V, C extends Capabilities = Capabilities, N = unknown> = KeyValueBase<K, V, C, N> &
  ([C['scan']] extends [ScanCapability] ? Scans<K, V, C> : unknown) &
  ([C['conditionalWrite']] extends [true] ? Updates<K, V, C> : unknown) &
  ([C['conditionalRead']] extends [true] ? Revalidates<K, V> : unknown) &
  ([C['touch']] extends [true] ? Touches<K> : unknown) &
  ([C['increment']] extends [true] ? Increments<K, C> : unknown) &
  ([C['find']] extends [true]
    ? Finds<K, V>
    : [C['scan']] extends [ScanCapability]
      ? FindsByScan<K, V>
      : unknown)

/** Operations that every store offers. */
export interface KeyValueBase<
  in out K,
  in out V,
  out C extends Capabilities = Capabilities,
  out N = unknown,
> {
  /** Type-level only: methods alone would let `V` widen, as their parameters are compared both ways. */
  readonly '~types'?: (key: K, value: V) => readonly [K, V]
  /** Name of the store, for errors and reports. */
  readonly name: string
  readonly capabilities: C
  /** The driver's own client, through every layer. */
  readonly native: N
  /** The value, or `undefined` if there is none. `null` is a value. */
  get(key: K, options?: CallSettings): Promise<V | undefined>
  /** Value, version and expiry. */
  getEntry(key: K, options?: CallSettings): Promise<Entry<V> | undefined>
  /**
   * Values aligned with the keys.
   *
   * @throws {StoreError} `PARTIAL` if any item failed; `error.results` holds the entry, `undefined` or error of each
   */
  getMany(keys: Keys<K>, options?: CallSettings): Promise<(V | undefined)[]>
  /** Whether there is a live record, without its value. */
  has(key: K, options?: CallSettings): Promise<boolean>
  /** Version and expiry, without the value. */
  head(key: K, options?: CallSettings): Promise<Head | undefined>
  /**
   * Store a value. Without `ttlMs` an earlier expiry is removed.
   *
   * @throws {StoreError} `CONDITION_FAILED` if `ifVersion` did not hold
   */
  set(key: K, value: V, options?: SetOptions<C>): Promise<Written>
  /**
   * Store several, item by item: `[key, value]`, or `[key, value, { ttlMs }]` for an expiry of its own.
   *
   * @returns what was written, aligned with the entries
   * @throws {StoreError} `PARTIAL` if any item failed; `error.results` holds what was written or the error of each
   */
  setMany(entries: Iterable<SetManyEntry<K, V, C>>, options?: SetManyOptions<C>): Promise<Written[]>
  /** Remove a key; an absent one is a success. `existed` says which it was, where the store knows. */
  delete(key: K, options?: DeleteOptions<C>): Promise<Deleted<C>>
  /**
   * Remove several, item by item.
   *
   * @throws {StoreError} `PARTIAL`, as `setMany`
   */
  deleteMany(keys: Keys<K>, options?: CallSettings): Promise<Deleted<C>[]>
  /**
   * One batch of sets and deletes of different keys: item by item, or with `atomic: true` all together.
   *
   * ```ts
   * await kv.write([{ type: 'set', key: 'a', value }, { type: 'delete', key: 'b' }])
   * ```
   *
   * @throws {StoreError} `PARTIAL`, as `setMany`
   */
  write(items: Iterable<WriteItem<K, V, C>>, options?: WriteOptions<C>): Promise<Written[]>
  /** Ask the store itself for an answer. Resolves to the milliseconds that it took; rejects with what is wrong. */
  ping(options?: CallSettings): Promise<number>
  /** An immutable view of the keys under this name; exact, never a neighbour's. */
  namespace(name: string): KeyValue<K, V, C, N>
  /**
   * Refuse new calls with `CLOSED`, wait for those under way (`graceMs`), abort the rest, release what was opened.
   * On a namespace view it does nothing, because a view does not own the store.
   */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Version and expiry of a live record. */
export interface Head {
  readonly version: Version | undefined
  /** Wall-clock time in milliseconds since the epoch; `undefined`: never. */
  readonly expiresAt: number | undefined
}

/** Result of a delete. `existed`: whether there was a live record; `undefined` where the store does not tell. */
export type Deleted<C extends Capabilities = Capabilities> = Written & {
  readonly existed?: boolean | undefined
} & ([C['existed']] extends [true] ? { readonly existed: boolean } : unknown)

/** Compare-and-set. */
export interface Updates<in out K, in out V, out C extends Capabilities = Capabilities> {
  /**
   * Replace a value by a pure function of it; retried on conflict up to 16 times with full jitter inside the
   * deadline. `undefined` leaves the record as it is, `remove` deletes it. Without `ttlMs` or `expiresAt` the expiry is kept.
   *
   * @returns the value after the call
   */
  update(
    key: K,
    change: (value: V | undefined, entry: Entry<V> | undefined) => V | typeof remove | undefined,
    options?: UpdateOptions<C>,
  ): Promise<V | undefined>
  /**
   * Read a value and delete it: of several callers at the same time one gets it, the others get `undefined`.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if the reply to the delete was lost: no other caller gets the value then
   */
  take(key: K, options?: CallSettings): Promise<V | undefined>
}

/** Asking only whether something changed. */
export interface Revalidates<in out K, in out V> {
  /** The entry if its version differs, *not modified* if it does not, `undefined` if it is gone. */
  revalidate(key: K, version: Version, options?: CallSettings): Promise<Entry<V> | NotModified | undefined>
}

/** A new expiry without the value. */
export interface Touches<in out K> {
  /** Whether the key was there. `ttlMs: undefined` removes the expiry. Value and version stay. */
  touch(key: K, options: TouchOptions): Promise<boolean>
}

/** Atomic counters: decimal text of a safe integer, so on stores of bytes below any codec. */
export interface Increments<in out K, out C extends Capabilities = Capabilities> {
  /** The new number. A missing key starts at `initial` (0) and gets the expiry; an existing one keeps its own. */
  increment(key: K, by?: number, options?: IncrementOptions<C>): Promise<number>
  /** The same with version and expiry: when does this window of a rate limit end? */
  incrementEntry(key: K, by?: number, options?: IncrementOptions<C>): Promise<Entry<number>>
}

/** Listing. */
export interface Scans<in out K, in out V, out C extends Capabilities = Capabilities> {
  /** Keys, without values. */
  keys(options?: ScanOptions<K, C>): Scan<K>
  /** Keys with their entries. */
  entries(options?: ScanOptions<K, C>): Scan<readonly [K, Entry<V>]>
  /** How many live keys there are now: walks them, without values. */
  count(options?: CountOptions<K>): Promise<number>
  /** Remove the keys with this prefix, in this range, or all of this namespace and those inside it. Returns how many. */
  clear(what: ClearOptions<K, C>): Promise<number>
}

/** Finding records by what is in them. */
export interface Finds<in out K, in out V> {
  /**
   * The first records for which all conditions hold, each with its key. The cursor continues after them: a record that is written
   * meanwhile comes at its new place in the order, or not at all if that lies before the cursor.
   */
  find(query: FindOptions): Promise<ScanPage<readonly [K, Entry<V>]>>
  /** How many records there are for which all conditions hold, and the sum, the least and the greatest value of a field. */
  aggregate(query: AggregateOptions): Promise<Totals>
}

/** As `Finds`, where the store cannot do it: with `scan: true` all records of the namespace are read. */
export interface FindsByScan<in out K, in out V> {
  /** As `find` of `Finds`. */
  find(query: FindOptions & ByScan): Promise<ScanPage<readonly [K, Entry<V>]>>
  /** As `aggregate` of `Finds`. */
  aggregate(query: AggregateOptions & ByScan): Promise<Totals>
}

/** Every operation there is, declared or not. */
export type FullKeyValue<K, V, C extends Capabilities = Capabilities> = KeyValueBase<K, V, C> &
  Scans<K, V, C> &
  Finds<K, V> &
  Updates<K, V, C> &
  Revalidates<K, V> &
  Touches<K> &
  Increments<K, C>

/** A call that is one request or one batch; forms of a KeyValue with and without promises share it. */
export type Call = Exclude<
  keyof (Touches<unknown> &
    Revalidates<unknown, unknown> &
    Increments<unknown> &
    KeyValueBase<unknown, unknown>),
  '~types' | 'name' | 'capabilities' | 'native' | 'ping' | 'namespace' | 'close' | typeof Symbol.asyncDispose
>

/** The methods of an interface with other answers. */
export type Answering<T, Form extends 'now' | 'perhaps'> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? {
        /** As the method of this name of `KeyValue`. */
        (...args: Args): Form extends 'now' ? Answer : Awaitable<Answer>
      }
    : never
}

/** Asynchronous items, or pages of them with a cursor each. */
export interface Scan<out T> extends AsyncIterable<T> {
  /** The items page by page, each page with its cursor. */
  pages(): AsyncIterable<ScanPage<T>>
}

/** A part of a scan. */
export interface ScanPage<out T> {
  readonly items: readonly T[]
  /** Continues after this page, in another process too; `undefined` at the end. */
  readonly cursor: string | undefined
}

/** Returned by the function of `update` to delete the record. */
export const remove: unique symbol = Symbol.for('@unikv/core/remove')

/** Keys one after the other. A string is not one: it would be taken for a list of its characters. */
export interface Keys<out K> extends Iterable<K> {
  /** Members of strings. */
  readonly charAt?: undefined
}
