import { areDistinct } from '../batches/distinct.ts'
import type { Awaitable } from '../contract/awaitable.ts'
import { isConditionFailed, isEntry } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { Entry, Mutation, Read, ReadResult, Version, WriteResult, Written } from '../contract/store.ts'
import { newVersion } from '../contract/version.ts'
import type { KeyCodec } from '../keys/key-codec.ts'
import { kindOf } from '../options/check-options.ts'
import { heard, threw } from '../options/own-function.ts'
import { another, ownBytes } from '../stack/own-value.ts'
import {
  checkedCondition,
  checkedExpiry,
  checkedKey,
  checkedNewExpiry,
  type Demandable,
  demand,
} from './arguments.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Engine } from './engine.ts'
import {
  conditionFailed,
  type Found,
  foundOf,
  numberOf,
  ownEntry,
  ownFoundOf,
  ownValueOf,
  presenceOf,
  touchedOf,
  valueOf,
  writtenOf,
} from './finish.ts'
import type {
  CallSettings,
  DeleteOptions,
  IncrementOptions,
  Keys,
  SetManyOptions,
  SetOptions,
} from './key-value.ts'

/** Settings of a write, whatever the capabilities declare; checked at run time. */
type AnySet = CallSettings & { readonly ttlMs?: unknown; readonly ifVersion?: unknown }

/**
 * The operations on keys, answering at once where the stack does: what the promise-based KeyValue and its
 * synchronous twin are two faces of. Here arguments are checked, keys made canonical, defaults applied and
 * undeclared operations refused, once for all adapters.
 */
export class Direct<K, V> {
  // Declared, and assigned once: a field would be defined first.
  declare readonly engine: Engine
  declare readonly prefix: string
  declare readonly codec: KeyCodec<K> | undefined
  /** Length of a root key that is surely short enough, as a UTF-16 unit has at most three bytes. */
  readonly #shortLength: number
  readonly #valueOf: (results: readonly ReadResult<V>[]) => V | undefined
  /** The entry of a single read, for its caller alone. */
  declare readonly foundOf: (results: readonly ReadResult<V>[]) => Found<V>

  /** `prefix` comes from `namespacePrefix`; without a codec, keys are strings. */
  constructor(engine: Engine, prefix: string, codec: KeyCodec<K> | undefined) {
    this.engine = engine
    this.prefix = prefix
    this.codec = codec
    const { isOfBytes } = engine.custody
    this.#valueOf = isOfBytes ? ownValueOf : valueOf
    this.foundOf = isOfBytes ? ownFoundOf : foundOf
    const isPlain = prefix === '' && codec === undefined
    this.#shortLength = isPlain ? Math.floor(engine.store.capabilities.maxKeyBytes / 3) : 0
  }

  get(key: K, settings?: CallSettings): Awaitable<V | undefined> {
    // Not by way of `readOne`, as this is the path that a cached read takes.
    if (settings !== undefined) checkCallOptions('get', settings)
    const finish = this.#valueOf as (results: readonly ReadResult<unknown>[]) => V | undefined
    return this.engine.read('get', [{ key: this.canonical(key) }], this.engine.call(settings), finish)
  }

  getEntry(key: K, settings?: CallSettings): Awaitable<Entry<V> | undefined> {
    if (settings !== undefined) checkCallOptions('getEntry', settings)
    return this.readOne('getEntry', { key: this.canonical(key) }, settings, this.foundOf) as Awaitable<
      Entry<V> | undefined
    >
  }

  has(key: K, settings?: CallSettings): Awaitable<boolean> {
    if (settings !== undefined) checkCallOptions('has', settings)
    return this.readOne('has', { key: this.canonical(key), head: true }, settings, presenceOf)
  }

  revalidate(key: K, version: Version, settings?: CallSettings): Awaitable<Found<V>> {
    if (settings !== undefined) checkCallOptions('revalidate', settings)
    this.demand('conditionalRead', 'revalidate')
    if (typeof version !== 'string')
      throw new StoreError(
        'INVALID_ARGUMENT',
        `revalidate() takes a version of getEntry or a write, got ${kindOf(version)}.`,
      )
    return this.readOne(
      'revalidate',
      { key: this.canonical(key), ifNotVersion: version },
      settings,
      this.foundOf,
    )
  }

  getMany(keys: Keys<K>, settings?: CallSettings): Awaitable<(V | undefined)[]> {
    if (settings !== undefined) checkCallOptions('getMany', settings)
    const asked = itemsOf('getMany', keys).map((key): Read => ({ key: this.canonical(key) }))
    if (asked.length === 0) return []
    const reads = distinctReads(asked)
    return this.engine.read('getMany', reads, this.engine.call(settings), (results) => {
      const found = results as readonly ReadResult<V>[]
      return this.#allOrPartial(reads === asked ? found : spread(found, reads, asked), asked)
    })
  }

  set(key: K, value: V, options?: SetOptions): Awaitable<Written> {
    if (options !== undefined) checkCallOptions('set', options)
    const canonical = this.canonical(key)
    const expiresAt = this.#expiry('set', options)
    const mutation = setMutation(canonical, value, expiresAt, this.#condition('set', options))
    return this.mutate('set', mutation, options, writtenOf)
  }

  setMany(entries: Iterable<readonly [K, V]>, options?: SetManyOptions): Awaitable<(Written | StoreError)[]> {
    if ((options as AnySet | undefined)?.ifVersion !== undefined) {
      throw new StoreError('UNSUPPORTED', 'setMany cannot take a condition: use set for each key.')
    }
    if (options !== undefined) checkCallOptions('setMany', options)
    const pairs = itemsOf('setMany', entries)
    pairs.forEach(checkPair)
    const keys = this.#distinct(
      'setMany',
      pairs.map((pair) => pair[0]),
    )
    const expiresAt = this.#expiry('setMany', options)
    const mutations = keys.map((key, i) => setMutation(key, pairs[i]?.[1] as V, expiresAt, undefined))
    return this.#mutateMany('setMany', mutations, options)
  }

  delete(key: K, options?: DeleteOptions): Awaitable<Written> {
    if (options !== undefined) checkCallOptions('delete', options)
    const ifVersion = this.#condition('delete', options)
    const mutation: Mutation<V> = {
      type: 'delete',
      key: this.canonical(key),
      version: newVersion(),
      ifVersion,
    }
    return this.mutate('delete', mutation, options, writtenOf)
  }

  deleteMany(keys: Keys<K>, settings?: CallSettings): Awaitable<(Written | StoreError)[]> {
    if (settings !== undefined) checkCallOptions('deleteMany', settings)
    const toDelete = (key: string): Mutation<V> => ({ type: 'delete', key, version: newVersion() })
    return this.#mutateMany(
      'deleteMany',
      this.#distinct('deleteMany', itemsOf('deleteMany', keys)).map(toDelete),
      settings,
    )
  }

  touch(key: K, settings: CallSettings & { readonly ttlMs: number | undefined }): Awaitable<boolean> {
    checkCallOptions('touch', settings)
    this.demand('touch', 'touch')
    if (settings === undefined || !('ttlMs' in settings))
      throw new StoreError(
        'INVALID_ARGUMENT',
        'touch() needs { ttlMs }; { ttlMs: undefined } removes the expiry.',
      )
    const expiresAt = checkedNewExpiry('touch', this.#expiry('touch', settings))
    return this.mutate(
      'touch',
      { type: 'touch', key: this.canonical(key), version: newVersion(), expiresAt },
      settings,
      touchedOf,
    )
  }

  increment(key: K, by = 1, options?: IncrementOptions): Awaitable<number> {
    if (options !== undefined) checkCallOptions('increment', options)
    this.demand('increment', 'increment')
    const { initial = 0 } = options ?? {}
    if (!Number.isSafeInteger(by) || !Number.isSafeInteger(initial)) {
      const message = 'increment() takes safe integers as `by` and `initial`'
      throw new StoreError(
        'INVALID_ARGUMENT',
        `${message}, got ${kindOf(Number.isSafeInteger(by) ? initial : by)}.`,
      )
    }
    const expiresAt = checkedNewExpiry('increment', this.#expiry('increment', options))
    const mutation: Mutation<V> = {
      type: 'increment',
      key: this.canonical(key),
      version: newVersion(),
      // Without -0, which no counter is.
      by: by + 0,
      initial: initial + 0,
      expiresAt,
    }
    return this.mutate('increment', mutation, options, numberOf)
  }

  /** A value as its reader gets it. */
  own(value: V): V {
    return this.engine.custody.isOfBytes ? ownBytes(value) : value
  }

  /** A found entry as its reader gets it. */
  ownEntry<R>(found: R): R {
    return this.engine.custody.isOfBytes ? ownEntry(found) : found
  }

  /** Read one canonical key. */
  readOne<T>(
    operation: string,
    read: Read,
    settings: CallSettings | undefined,
    finish: (results: readonly ReadResult<V>[]) => T,
  ): Awaitable<T> {
    return this.engine.read(
      operation,
      [read],
      this.engine.call(settings),
      finish as (results: readonly ReadResult<unknown>[]) => T,
    )
  }

  /** Write one mutation of a canonical key. */
  mutate<T>(
    operation: string,
    mutation: Mutation<V>,
    settings: CallSettings | undefined,
    finish: (results: readonly WriteResult[]) => T,
  ): Awaitable<T> {
    return this.engine.write(operation, [mutation], this.engine.call(settings), finish)
  }

  /** The canonical key, after all checks. */
  canonical(key: K): string {
    // Most keys are canonical as they are; these few checks are all that a cached read does.
    if (
      typeof key === 'string' &&
      key.length <= this.#shortLength &&
      key.charCodeAt(0) > 2 &&
      key.isWellFormed()
    )
      return key
    return this.#checked(key)
  }

  #checked(key: K): string {
    return checkedKey(
      this.engine.store,
      this.prefix,
      this.codec === undefined ? key : encoded(this.codec, key),
    )
  }

  /** Refuse an operation that the store does not declare. */
  demand(capability: Demandable, operation: string): void {
    demand(this.engine.store, capability, operation)
  }

  #expiry(operation: string, options: AnySet | undefined): number | 'keep' | undefined {
    const { store, options: settings } = this.engine
    return checkedExpiry(store, operation, options?.ttlMs, settings.clock)
  }

  #condition(operation: string, options: AnySet | undefined): Version | null | undefined {
    return checkedCondition(this.engine.store, operation, options?.ifVersion)
  }

  #distinct(operation: string, keys: readonly K[]): string[] {
    const canonical = keys.map((key) => this.canonical(key))
    if (areDistinct(canonical)) return canonical
    throw new StoreError('INVALID_ARGUMENT', `${operation} got the same key twice. Pass each key once.`)
  }

  #mutateMany(
    operation: string,
    mutations: readonly Mutation<V>[],
    settings: CallSettings | undefined,
  ): Awaitable<(Written | StoreError)[]> {
    if (mutations.length === 0) return []
    return this.engine.write(operation, mutations, this.engine.call(settings), (results) =>
      results.map((result, i) => {
        const failure = isConditionFailed(result) ? conditionFailed(result) : result
        return isStoreError(failure)
          ? this.engine.located(failure, operation, mutations.slice(i, i + 1))
          : failure
      }),
    )
  }

  #allOrPartial(results: readonly ReadResult<V>[], reads: readonly Read[]): (V | undefined)[] {
    const cause = results.find(isStoreError)
    if (cause === undefined)
      return results.map((result) => (isEntry(result) ? this.own(result.value) : undefined))
    const located = results.map((result, i) =>
      isStoreError(result)
        ? this.engine.located(result, 'getMany', reads.slice(i, i + 1))
        : this.ownEntry(result),
    )
    const failed = located.filter(isStoreError)
    const message = `${failed.length} of ${results.length} keys could not be read; see error.results.`
    throw new StoreError('PARTIAL', message, { results: located, cause: failed[0] })
  }
}

/** The items of an iterable; the letters of a string are never meant. */
function itemsOf<T>(operation: string, given: Iterable<T>): readonly T[] {
  if (typeof given !== 'object' || typeof given?.[Symbol.iterator] !== 'function' || 'charAt' in given) {
    const items = operation === 'setMany' ? '[key, value] pairs, such as a Map' : 'keys, such as an array'
    throw new StoreError(
      'INVALID_ARGUMENT',
      `${operation}() takes an iterable of ${items}; got ${kindOf(given)}.`,
    )
  }
  try {
    return [...given]
  } catch (cause) {
    throw threw(`The iterable given to ${operation}()`, cause)
  }
}

function checkPair(pair: unknown): void {
  if (Array.isArray(pair) && pair.length === 2) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `Each item of setMany() must be a pair [key, value], got ${kindOf(pair)}.`,
  )
}

function encoded<K>(codec: KeyCodec<K>, key: K): string {
  try {
    return heard(codec.encode(key))
  } catch (cause) {
    if (isStoreError(cause)) throw cause
    throw threw('The key codec', cause)
  }
}

/** Reads without those of a key that was asked for before. */
function distinctReads(asked: readonly Read[]): readonly Read[] {
  const reads = new Map(asked.map((read) => [read.key, read]))
  return reads.size === asked.length ? asked : Array.from(reads.values())
}

/** The results of distinct reads for each that was asked for; bytes and documents are copied for all but the first. */
function spread<V>(
  results: readonly ReadResult<V>[],
  reads: readonly Read[],
  asked: readonly Read[],
): readonly ReadResult<V>[] {
  const places = new Map(reads.map(({ key }, i) => [key, i]))
  const given = new Set<number>()
  return asked.map(({ key }) => {
    const place = places.get(key) as number
    const result = results[place]
    if (!given.has(place)) given.add(place)
    else if (isEntry(result)) return { ...result, value: another(result.value) as V }
    return result
  })
}

function setMutation<V>(
  key: string,
  value: V,
  expiresAt: number | 'keep' | undefined,
  ifVersion: Version | null | undefined,
): Mutation<V> {
  if (value === undefined)
    throw new StoreError('INVALID_VALUE', 'undefined cannot be stored: use delete, or null as a value.')
  return { type: 'set', key, value, version: newVersion(), expiresAt, ifVersion, encoded: undefined }
}
