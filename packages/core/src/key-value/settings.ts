import type { CallSettings } from '../contract/call-settings.ts'
import type { Capabilities, TtlCapability } from '../contract/capabilities.ts'
import type { StoreError } from '../contract/errors.ts'
import type { Version } from '../contract/store.ts'

export type { CallSettings } from '../contract/call-settings.ts'

/** The type of an option that this store does not declare. */
export interface Refused<Why extends string> {
  readonly '~refused': Why
}

type WithTtl<C extends Capabilities, T> = [C['ttl']] extends [TtlCapability]
  ? T | undefined
  : Refused<'this store does not declare `ttl`'> | undefined

type IfVersion<C extends Capabilities> = [C['conditionalWrite']] extends [true]
  ? Version | null | undefined
  : Refused<'this store does not declare `conditionalWrite`'> | undefined

type Atomic<C extends Capabilities> = [C['batch']] extends [{ readonly atomicity: 'all' }]
  ? boolean | undefined
  : // A part of `boolean`, so that a KeyValue of an atomic store still is one of any store.
    false | (true & Refused<'this store does not write batches as a whole'>) | undefined

/** When a record expires: one of both, or neither. */
export interface ExpirySettings<out C extends Capabilities = Capabilities> {
  /** Time to live in milliseconds; `Infinity`: none. */
  readonly ttlMs?: WithTtl<C, number>
  /** Wall-clock time in milliseconds since 1970, like `Date.now()`; `Infinity`: never. A time that has passed deletes. */
  readonly expiresAt?: WithTtl<C, number>
}

/** When a record expires that may be there already. */
export interface SetExpiry<out C extends Capabilities = Capabilities> {
  /** Time to live in milliseconds; `'keep'` keeps the present expiry. @default none: an earlier expiry is removed */
  readonly ttlMs?: WithTtl<C, number | 'keep'>
  /** Wall-clock time in milliseconds since 1970, like `Date.now()`; `Infinity`: never. A time that has passed deletes. */
  readonly expiresAt?: WithTtl<C, number>
}

/** Settings of `setMany`, for the items that have none of their own. */
export interface SetManyOptions<out C extends Capabilities = Capabilities>
  extends CallSettings,
    SetExpiry<C> {}

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

/** Settings of `update`: without an expiry the present one is kept. */
export interface UpdateOptions<out C extends Capabilities = Capabilities>
  extends CallSettings,
    SetExpiry<C> {}

/** Settings of `touch`: one of both must be there. `ttlMs: undefined` removes the expiry. */
export type TouchOptions = CallSettings &
  (
    | { readonly ttlMs: number | undefined; readonly expiresAt?: undefined }
    | { readonly ttlMs?: undefined; readonly expiresAt: number }
  )

/** Settings of `increment`; the expiry is that of a record which this call creates. */
export interface IncrementOptions<out C extends Capabilities = Capabilities>
  extends CallSettings,
    ExpirySettings<C> {
  /** The value of a missing key before the increment. @default 0 */
  readonly initial?: number | undefined
}

/** A set of `write`. */
export interface SetItem<out K, out V, out C extends Capabilities = Capabilities> extends SetExpiry<C> {
  readonly type: 'set'
  readonly key: K
  readonly value: V
  /** Only if the record has this version; `null`: only if there is none. */
  readonly ifVersion?: IfVersion<C>
}

/** A delete of `write`. */
export interface DeleteItem<out K, out C extends Capabilities = Capabilities> {
  readonly type: 'delete'
  readonly key: K
  /** Only if the record has this version. */
  readonly ifVersion?: IfVersion<C>
}

/** One change of `write`. */
export type WriteItem<K, V, C extends Capabilities = Capabilities> = SetItem<K, V, C> | DeleteItem<K, C>

/** Settings of `write`. */
export interface WriteOptions<out C extends Capabilities = Capabilities> extends CallSettings {
  /** All items take effect together, or none. Not together with `ifVersion`. @default false */
  readonly atomic?: Atomic<C>
}

/** An entry of `setMany`: key, value, and by choice an expiry of its own. */
export type SetManyEntry<K, V, C extends Capabilities = Capabilities> =
  | readonly [key: K, value: V]
  | readonly [key: K, value: V, expiry: SetExpiry<C> | undefined]

type Bound<K, C extends Capabilities> = [C['scan']] extends [{ readonly order: 'bytes' }]
  ? K | undefined
  : // A part of `K`, so that a KeyValue of an ordered store still is one of any store.
    (K & Refused<'this store does not list keys in order'>) | undefined

type Reverse<C extends Capabilities> = [C['scan']] extends [{ readonly reverse: true }]
  ? boolean | undefined
  : false | (true & Refused<'this store does not list keys in reverse'>) | undefined

type LowerBound = { readonly gt?: undefined } | { readonly gte?: undefined }
type UpperBound = { readonly lt?: undefined } | { readonly lte?: undefined }

/** The lower and the upper bound of a range, on stores that list in order. */
export interface RangeSettings<K, C extends Capabilities = Capabilities> {
  readonly gt?: Bound<K, C>
  readonly gte?: Bound<K, C>
  readonly lt?: Bound<K, C>
  readonly lte?: Bound<K, C>
}

/** Keys that start so: text, before any key codec. With `tupleKey()`: the leading parts, each as a whole. */
export type KeyPrefix<K> = string | (K extends readonly unknown[] ? Leading<K> : never)

type Leading<T extends readonly unknown[]> = number extends T['length']
  ? T
  : T extends readonly [...infer Head, unknown]
    ? T | Leading<Head>
    : T

/** The keys to list. At most one lower bound and one upper bound can be given. */
export type ScanOptions<K, C extends Capabilities = Capabilities> = ScanSettings<K, C> &
  LowerBound &
  UpperBound

/** The settings of a listing; `ScanOptions` says which exclude each other. */
export interface ScanSettings<K, C extends Capabilities = Capabilities>
  extends CountOptions<K>,
    RangeSettings<K, C> {
  /** From the last key to the first. */
  readonly reverse?: Reverse<C>
  /** Most items in all. A page cut by it has no cursor: to page, use `pageSize` and `pages()`. */
  readonly limit?: number | undefined
  /** Most items a page. @default 1000, or `limit` if that is less */
  readonly pageSize?: number | undefined
  /** Continue after the page that gave this cursor; needs the same store, namespace, range and direction. */
  readonly cursor?: string | undefined
  /**
   * Called with each record that cannot be read (damaged, sealed with an unknown key); the listing goes on after it. It is
   * called when the page arrives, so before the items of this page. The key is `undefined` if it is not known.
   *
   * @default none: the listing ends at such a record, with its error, after all items before it
   */
  readonly onUnreadable?: ((error: StoreError, key: K | undefined) => void) | undefined
}

/** Settings of `count`. */
export interface CountOptions<K = string> extends CallSettings {
  readonly prefix?: KeyPrefix<K> | undefined
}

/** The keys to clear: a prefix, a range, or everything, so that clearing everything is explicit. */
export type ClearOptions<K = string, C extends Capabilities = Capabilities> = CallSettings &
  (
    | (NoBounds & { readonly prefix: KeyPrefix<K>; readonly all?: undefined })
    | (NoBounds & { readonly prefix?: undefined; readonly all: true })
    | (RangeSettings<K, C> &
        LowerBound &
        UpperBound & { readonly prefix?: undefined; readonly all?: undefined })
  )

interface NoBounds {
  readonly gt?: undefined
  readonly gte?: undefined
  readonly lt?: undefined
  readonly lte?: undefined
}
