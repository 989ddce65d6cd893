import type { Capabilities, ScanCapability, TtlCapability } from '../contract/capabilities.ts'
import type { StoreError } from '../contract/errors.ts'
import type { Entry, NotModified, Version, Written } from '../contract/store.ts'

/**
 * A typed map over any stack, which the application holds. `keyValue(…)` returns one; a class of your own may
 * implement it. Every method returns a promise and every call settles within its deadline.
 *
 * Operations that need a capability are there only if the store declares it: a missing one is a compile error,
 * and `UNSUPPORTED` at run time. `KeyValue<K, V>` without further parameters takes any store.
 */
export type KeyValue<K, V, C extends Capabilities = Capabilities, N = unknown> = KeyValueBase<K, V, C, N> &
  ([C['scan']] extends [ScanCapability] ? Scans<K, V, C> : unknown) &
  ([C['conditionalWrite']] extends [true] ? Updates<K, V> : unknown) &
  ([C['conditionalRead']] extends [true] ? Revalidates<K, V> : unknown) &
  ([C['touch']] extends [true] ? Touches<K> : unknown) &
  ([C['increment']] extends [true] ? Increments<K, C> : unknown)

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
  /**
   * Store a value. Without `ttlMs` an earlier expiry is removed.
   *
   * @throws {StoreError} `CONDITION_FAILED` if `ifVersion` did not hold
   */
  set(key: K, value: V, options?: SetOptions<C>): Promise<Written>
  /** Store several; item by item, so that a failure of one does not hide the others. */
  setMany(entries: Iterable<readonly [K, V]>, options?: SetManyOptions<C>): Promise<(Written | StoreError)[]>
  /** Remove a key; an absent one is a success. */
  delete(key: K, options?: DeleteOptions<C>): Promise<Written>
  /** Remove several; item by item. */
  deleteMany(keys: Keys<K>, options?: CallSettings): Promise<(Written | StoreError)[]>
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

/** Compare-and-set. */
export interface Updates<in out K, in out V> {
  /**
   * Replace a value by a pure function of it; retried on conflict up to 16 times with full jitter inside the
   * deadline. `undefined` leaves the record as it is, `remove` deletes it, the expiry is kept.
   *
   * @returns the value after the call
   */
  update(
    key: K,
    change: (value: V | undefined, entry: Entry<V> | undefined) => V | typeof remove | undefined,
    options?: CallSettings,
  ): Promise<V | undefined>
}

/** Asking only whether something changed. */
export interface Revalidates<in out K, in out V> {
  /** The entry if its version differs, *not modified* if it does not, `undefined` if it is gone. */
  revalidate(key: K, version: Version, options?: CallSettings): Promise<Entry<V> | NotModified | undefined>
}

/** A new expiry without the value. */
export interface Touches<in out K> {
  /** Whether the key was there. `ttlMs: undefined` removes the expiry. Value and version stay. */
  touch(key: K, options: CallSettings & { readonly ttlMs: number | undefined }): Promise<boolean>
}

/** Atomic counters: decimal text of a safe integer, so on stores of bytes below any codec. */
export interface Increments<in out K, out C extends Capabilities = Capabilities> {
  /** The new number. A missing key starts at `initial` (0) and gets `ttlMs`; an existing one keeps its expiry. */
  increment(key: K, by?: number, options?: IncrementOptions<C>): Promise<number>
}

/** Listing. */
export interface Scans<in out K, in out V, out C extends Capabilities = Capabilities> {
  /** Keys, without values. */
  keys(options?: ScanOptions<K, C>): Scan<K>
  /** Keys with their entries. */
  entries(options?: ScanOptions<K, C>): Scan<readonly [K, Entry<V>]>
  /** How many live keys there are now: walks them, without values. */
  count(options?: CountOptions): Promise<number>
  /** Remove the keys with this prefix, or all of this namespace and those inside it. Returns how many. */
  clear(what: ClearOptions): Promise<number>
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

/** Settings of one call. `undefined` is the same as absent. */
export interface CallSettings {
  /** The deadline, which covers queueing, connecting, retries and decoding. @default 5000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** One of `capabilities.consistency`. */
  readonly consistency?: string | undefined
}

/** The type of an option that this store does not declare. */
export interface Refused<Why extends string> {
  readonly '~refused': Why
}

type Ttl<C extends Capabilities> = [C['ttl']] extends [TtlCapability]
  ? number | 'keep' | undefined
  : Refused<'this store does not declare `ttl`'> | undefined

type IfVersion<C extends Capabilities> = [C['conditionalWrite']] extends [true]
  ? Version | null | undefined
  : Refused<'this store does not declare `conditionalWrite`'> | undefined

/** Settings of `setMany`. */
export interface SetManyOptions<out C extends Capabilities = Capabilities> extends CallSettings {
  /** Time to live in milliseconds; `'keep'` keeps the present expiry. @default none: an earlier expiry is removed */
  readonly ttlMs?: Ttl<C>
}

/** Settings of `set`. */
export interface SetOptions<out C extends Capabilities = Capabilities> extends SetManyOptions<C> {
  /** Only if the record has this version; `null`: only if there is none. */
  readonly ifVersion?: IfVersion<C>
}

/** Settings of `delete`. */
export interface DeleteOptions<out C extends Capabilities = Capabilities> extends CallSettings {
  /** Only if the record has this version. */
  readonly ifVersion?: IfVersion<C>
}

/** Settings of `increment`. */
export interface IncrementOptions<out C extends Capabilities = Capabilities> extends CallSettings {
  /** The value of a missing key before the increment. @default 0 */
  readonly initial?: number | undefined
  /** Time to live of a record that this call creates. */
  readonly ttlMs?: [C['ttl']] extends [TtlCapability]
    ? number | undefined
    : Refused<'this store does not declare `ttl`'> | undefined
}

type Bound<K, C extends Capabilities> = [C['scan']] extends [{ readonly order: 'bytes' }]
  ? K | undefined
  : // A part of `K`, so that a KeyValue of an ordered store still is one of any store.
    (K & Refused<'this store does not list keys in order'>) | undefined

/** The keys to list. At most one lower bound and one upper bound can be given. */
export type ScanOptions<K, C extends Capabilities = Capabilities> = ScanSettings<K, C> &
  ({ readonly gt?: undefined } | { readonly gte?: undefined }) &
  ({ readonly lt?: undefined } | { readonly lte?: undefined })

/** The settings of a listing; `ScanOptions` says which exclude each other. */
export interface ScanSettings<K, C extends Capabilities = Capabilities> extends CountOptions {
  readonly gt?: Bound<K, C>
  readonly gte?: Bound<K, C>
  readonly lt?: Bound<K, C>
  readonly lte?: Bound<K, C>
  /** Most items in all. A page cut by it has no cursor: to page, use `pageSize` and `pages()`. */
  readonly limit?: number | undefined
  /** Most items a page. @default 1000 */
  readonly pageSize?: number | undefined
  /** Continue after the page that gave this cursor; needs the same store, namespace and range. */
  readonly cursor?: string | undefined
}

/** Settings of `count`. */
export interface CountOptions extends CallSettings {
  /** Keys that start so, before any key codec. */
  readonly prefix?: string | undefined
}

/** The keys to clear: one of the two. There is no default, so that clearing everything is explicit. */
export type ClearOptions = CallSettings &
  (
    | { readonly prefix: string; readonly all?: undefined }
    | { readonly prefix?: undefined; readonly all: true }
  )
