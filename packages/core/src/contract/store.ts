import type { Awaitable } from './awaitable.ts'
import type { Capabilities } from './capabilities.ts'
import type { StoreError } from './errors.ts'
import type { Groups } from './groups.ts'
import type { Position, StoreQuery, Totals } from './query.ts'
import type { ServerStatistics } from './statistics.ts'

/**
 * The narrow waist: the one contract that every adapter implements and every middleware wraps.
 *
 * Three verbs, always batches; a single operation is a batch of one. Keys are canonical key strings (see
 * `canonicalKey`): non-empty, well-formed, within `maxKeyBytes`. The caller has checked the arguments: no
 * duplicate key in one batch, no mutation that the capabilities do not declare. Results are aligned with what
 * was asked, item by item; a verb rejects (or throws) only if no item could be attempted. A store that has the
 * answer at hand returns it without a promise.
 *
 * `V` is what the store holds (bytes next to the server, objects next to the application), `C` its capabilities
 * as literal types, `N` its native client.
 */
export interface Store<in out V, out C extends Capabilities = Capabilities, out N = unknown> {
  /** Type-level only; first, so that every mismatch is one short message. */
  readonly '~value'?: (value: V) => V
  /** For errors, metrics and reports, such as `redis`. Never holds a secret. */
  readonly name: string
  /**
   * Names the records that it holds, alike in every process that opens it: caches and journals keep those of different
   * datasets apart. Without it they are those of this object. Never holds a secret.
   */
  readonly dataset?: string | undefined
  readonly capabilities: C
  /** The driver's own client, reachable through every middleware. */
  readonly native: N
  /** Look up keys: for each its entry, *not modified*, `undefined` or an error. */
  read(reads: readonly Read[], options: CallOptions): Awaitable<readonly ReadResult<V>[]>
  /**
   * Change keys: for each what was written, *condition failed* or an error. The values are the store's until it has
   * answered: a `KeyValue` hands in copies where its caller could change them.
   */
  write(mutations: readonly Mutation<V>[], options: CallOptions): Awaitable<readonly WriteResult[]>
  /** Pages of live records in the range. Synchronous stores may return a plain iterable. */
  scan(range: ScanRange, options: CallOptions): Pages<V>
  /** Records by what is in them. Only a store that declares `find` has it. */
  readonly find?: ((query: StoreQuery, options: CallOptions) => Awaitable<Found<V>>) | undefined
  /**
   * Figures that the server tells of itself. It rejects with `ACCESS_DENIED` where the server tells this user nothing. Only the store of an
   * adapter has it, for tools; `adapterOf` finds that.
   */
  statistics?(options: CallOptions): Promise<ServerStatistics>
  /**
   * Make all these changes, or none: each on its condition, and all of them only if each check holds, too. Resolves to whether it
   * did; `undefined`: the server cannot decide them in one step, and nothing was changed. Only the store of an adapter has it, for a
   * layer next to it. A store whose server has no such step lacks it.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if it cannot be told; any other error: nothing was changed
   */
  together?(
    changes: readonly TogetherChange<V>[],
    checks: readonly Check[],
    options: CallOptions,
  ): Awaitable<boolean | undefined>
  /** Transactions over groups of records by the server's own means. Only the store of an adapter has them; `adapterOf` finds that. */
  readonly groups?: Groups | undefined
  /** Release what this store opened. A second call is harmless. */
  close(): Promise<void>
}

/** A record that must have this version; `null`: there must be none. */
export interface Check {
  readonly key: string
  readonly version: Version | null
}

/** A change of a call that is decided as a whole. It has a condition. */
export type TogetherChange<V> = (SetMutation<V> | DeleteMutation) & { readonly ifVersion: Version | null }

/** A unique, time-ordered token of one write attempt: 24 lower-case hexadecimal digits (96 bits). Compared for equality only. */
export type Version = string

/** One key to read. */
export interface Read {
  readonly key: string
  /** Answer *not modified* instead of the body if the record still has this version. Needs `conditionalRead`. */
  readonly ifNotVersion?: Version | undefined
  /** The value is not needed: the store may answer *not modified* in place of the entry. */
  readonly head?: boolean | undefined
}

/** The result of a read for one key; `undefined` is absent. */
export type ReadResult<V> = Entry<V> | NotModified | StoreError | undefined

/** A live record. Immutable: a cache hands the same object to every reader. */
export interface Entry<out V> {
  readonly value: V
  /** `undefined` only in stores of foreign bytes (`values: 'raw'`). */
  readonly version: Version | undefined
  /** Wall-clock time in milliseconds since the epoch; `undefined`: never. */
  readonly expiresAt: number | undefined
  /** Facts that a middleware adds. */
  readonly meta?: ReadMeta | undefined
}

/** The record is there, but its body was not sent. */
export interface NotModified {
  readonly notModified: true
  readonly version: Version | undefined
  readonly expiresAt: number | undefined
  readonly meta?: ReadMeta | undefined
}

/** Facts about an answer that middleware adds. */
export interface ReadMeta {
  /** Name of the tier that answered; absent: the store itself. */
  readonly tier?: string | undefined
  /** The answer is older than the freshness that was asked for. */
  readonly stale?: boolean | undefined
}

/** One change to one key. `version` is the token that this attempt leaves behind. */
export type Mutation<V> = SetMutation<V> | DeleteMutation | TouchMutation | IncrementMutation

interface Conditional {
  readonly key: string
  readonly version: Version
  /** Take effect only if the record has this version; `null`: only if there is none; `undefined`: always. */
  readonly ifVersion?: Version | null | undefined
}

/** Replace the value. */
export interface SetMutation<out V> extends Conditional {
  readonly type: 'set'
  readonly value: V
  /** Wall-clock expiry in milliseconds; `undefined` removes an earlier expiry; `'keep'` leaves it. */
  readonly expiresAt?: number | 'keep' | undefined
  /** Other forms of `value`. */
  readonly facts?: LayerFacts | undefined
}

/** Facts that layers tell each other past those that do not know them: see `fact`. A copy of a range or a set carries them too. */
export interface LayerFacts {
  readonly [name: string]: unknown
}

/** Remove the record. An absent key is a success, unless a condition says otherwise. */
export interface DeleteMutation extends Conditional {
  readonly type: 'delete'
}

/** Change the expiry alone; value and version stay. An absent key answers *condition failed*. */
export interface TouchMutation extends Conditional {
  readonly type: 'touch'
  /** Wall-clock expiry in milliseconds; `undefined` removes it. */
  readonly expiresAt: number | undefined
}

/** Add to the safe integer that the record holds as decimal text; a missing one starts at `initial`. Keeps the expiry. */
export interface IncrementMutation extends Conditional {
  readonly type: 'increment'
  readonly by: number
  readonly initial: number
  /** Expiry of a record that this increment creates. */
  readonly expiresAt?: number | undefined
}

/** The outcome of one mutation. */
export type WriteResult = Written | ConditionFailed | StoreError

/** The mutation took effect. */
export interface Written {
  /** The version that the record now has (for a delete: the token of the delete). */
  readonly version: Version | undefined
  /** Result of an increment. */
  readonly value?: number | undefined
  /** After an increment: when the record expires. */
  readonly expiresAt?: number | undefined
  /** After a delete, where the store knows: whether there was a live record. */
  readonly existed?: boolean | undefined
}

/** The condition did not hold; nothing was changed. */
export interface ConditionFailed {
  readonly conditionFailed: true
  /** The version found, if the store knows it. */
  readonly version?: Version | undefined
}

/** Which records to list. Bounds are canonical keys, compared as unsigned UTF-8 bytes. */
export interface ScanRange {
  /** Only keys that start so; `''`: all. */
  readonly prefix: string
  /** First key (inclusive). Needs `scan.order: 'bytes'`. */
  readonly gte?: string | undefined
  /** End (exclusive). Needs `scan.order: 'bytes'`. */
  readonly lt?: string | undefined
  /** From the last key to the first. Needs `scan.reverse`. */
  readonly reverse?: boolean | undefined
  /** Where an earlier scan of the same range and direction stopped: `resume` of its last page. */
  readonly resume?: string | undefined
  /** Most entries a page. */
  readonly pageSize: number
  /** Whether values are wanted; without it pages may hold keys alone. */
  readonly values: boolean
  readonly facts?: LayerFacts | undefined
}

/** Pages of a scan. */
export type Pages<V> = AsyncIterable<Page<V>> | Iterable<Page<V>>

/** A part of a scan. It may be empty without being the last. */
export interface Page<out V> {
  readonly entries: readonly ScanEntry<V>[]
  /** Position after this page, good in another process; `undefined`: the scan is over. */
  readonly resume?: string | undefined
}

/** One key of a scan, with its entry (or the error of this record) if values were asked for. */
export interface ScanEntry<out V> {
  readonly key: string
  readonly entry?: Entry<V> | StoreError | undefined
}

/** The answer of a store to a query. */
export interface Found<out V> {
  readonly entries: readonly ScanEntry<V>[]
  /** The place of the last entry, if there may be more. */
  readonly last?: Position | undefined
  readonly totals?: Totals | undefined
}

/** How far one part of a batch is. */
export interface CallPart {
  /** How many items it has. */
  readonly size: number
  readonly sent: boolean
  /** The outcome of each item, once it is known. */
  readonly results: readonly unknown[] | undefined
  /** The parts of this part, if it is itself sent in several. */
  readonly parts?: readonly CallPart[]
}

/** The settings of a call, set by KeyValue alone and obeyed by everything below. */
export interface CallOptions {
  /** Monotonic deadline in milliseconds of `performance.now()`; `Infinity`: none. Reading it fixes it. */
  readonly deadlineAt: number
  readonly signal?: AbortSignal | undefined
  /** One of `capabilities.consistency`. `'strong'` is never answered by a cache. */
  readonly consistency?: string | undefined
  /** Told by layers above. A batch that core made of several calls has none. */
  readonly facts?: LayerFacts | undefined
  /**
   * Set by the code that sends a mutation: from then on a missing answer is `OUTCOME_UNKNOWN`. While it is
   * `false` a deadline means *certainly not applied*.
   */
  sent?: boolean
  /** The progress of each part of a batch that is sent in several. */
  parts?: readonly CallPart[]
  /** Told by layers below about the answer. */
  told?: LayerFacts | undefined
  /** Set when the caller was answered (deadline, abort, close): work that has not started must not start. */
  settled?: boolean
}
