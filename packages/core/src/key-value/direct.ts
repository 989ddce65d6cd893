import { type Awaitable, andThen } from '../contract/awaitable.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type {
  Entry,
  Mutation,
  Read,
  ReadResult,
  ScanRange,
  Version,
  WriteResult,
  Written,
} from '../contract/store.ts'
import { newVersion } from '../contract/version.ts'
import { isUserKey, userKey } from '../keys/canonical-key.ts'
import type { KeyCodec } from '../keys/key-codec.ts'
import { kindOf } from '../options/check-options.ts'
import { heard, threw } from '../options/own-function.ts'
import { levelPastCaches } from '../stack/layers-of.ts'
import {
  type AnyExpiry,
  checkedCondition,
  checkedExpiry,
  checkedKey,
  checkedNewExpiry,
  type Demandable,
  demand,
  hasPassed,
} from './arguments.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Engine } from './engine.ts'
import {
  countOf,
  type Found,
  foundOf,
  headOf,
  numberOf,
  outcomeOf,
  ownBytes,
  ownEntry,
  ownFoundOf,
  ownValueOf,
  presenceOf,
  touchedOf,
  valueOf,
  writtenOf,
} from './finish.ts'
import type { Answering, Call, Deleted, FullKeyValue, Head } from './key-value.ts'
import { rangeOf } from './range.ts'
import type { CallSettings, DeleteOptions, IncrementOptions, SetOptions, TouchOptions } from './settings.ts'

/** Expiry and condition as the caller gave them; checked here against the capabilities. */
export type AnySet = AnyExpiry & { readonly ifVersion?: unknown }

type Answers<K, V> = Answering<Pick<FullKeyValue<K, V>, Exclude<Call, `${string}Many` | 'write'>>, 'perhaps'>

/**
 * The operations on keys, answering at once where the stack does: what the promise-based KeyValue and its
 * synchronous twin are two faces of. Here arguments are checked, keys made canonical, defaults applied and
 * undeclared operations refused, once for all adapters.
 */
export class Direct<K, V> implements Answers<K, V> {
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
    return this.engine.read('get', [{ key: this.canonical(key) }], this.engine.readCall(settings), finish)
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

  head(key: K, settings?: CallSettings): Awaitable<Head | undefined> {
    if (settings !== undefined) checkCallOptions('head', settings)
    return this.readOne('head', { key: this.canonical(key), head: true }, settings, headOf)
  }

  set(key: K, value: V, options?: SetOptions): Awaitable<Written> {
    if (options !== undefined) checkCallOptions('set', options)
    return this.mutate('set', this.setOf('set', key, value, options), options, writtenOf)
  }

  delete(key: K, options?: DeleteOptions): Awaitable<Deleted> {
    if (options !== undefined) checkCallOptions('delete', options)
    return this.mutate('delete', this.deleteOf('delete', key, options), options, writtenOf)
  }

  touch(key: K, options: TouchOptions): Awaitable<boolean> {
    checkCallOptions('touch', options)
    this.demand('touch', 'touch')
    if (options === undefined || !('ttlMs' in options || 'expiresAt' in options))
      throw new StoreError(
        'INVALID_ARGUMENT',
        'touch() needs { ttlMs } or { expiresAt }; { ttlMs: undefined } removes the expiry.',
      )
    const expiresAt = checkedNewExpiry('touch', this.expiry('touch', options))
    const canonical = this.canonical(key)
    if (this.hasPassed(expiresAt)) return expire(this.engine, canonical, options)
    return this.mutate(
      'touch',
      { type: 'touch', key: canonical, version: newVersion(), expiresAt },
      options,
      touchedOf,
    )
  }

  increment(key: K, by?: number, options?: IncrementOptions): Awaitable<number> {
    return this.#increment('increment', key, by, options, numberOf)
  }

  incrementEntry(key: K, by?: number, options?: IncrementOptions): Awaitable<Entry<number>> {
    return this.#increment('incrementEntry', key, by, options, countOf)
  }

  #increment<T>(
    operation: string,
    key: K,
    by = 1,
    options: IncrementOptions = {},
    finish: (results: readonly WriteResult[]) => T,
  ): Awaitable<T> {
    checkCallOptions(operation, options)
    this.demand('increment', operation)
    const { initial = 0 } = options
    for (const number of [by, initial]) checkWhole(operation, number)
    const expiresAt = checkedNewExpiry(operation, this.expiry(operation, options))
    if (this.hasPassed(expiresAt))
      throw new StoreError(
        'INVALID_ARGUMENT',
        `expiresAt of ${operation}() has passed: nothing could be counted.`,
      )
    const mutation: Mutation<V> = {
      type: 'increment',
      key: this.canonical(key),
      version: newVersion(),
      // Without -0, which no counter is.
      by: by + 0,
      initial: initial + 0,
      expiresAt,
    }
    return this.mutate(operation, mutation, options, finish)
  }

  /** The mutation of a set, after all checks; a delete if its expiry has passed. */
  setOf(operation: string, key: K, value: V, options: AnySet = {}): Mutation<V> {
    const canonical = this.canonical(key)
    const expiresAt = this.expiry(operation, options)
    const ifVersion = this.#condition(operation, options)
    if (this.hasPassed(expiresAt)) return expiredSet(canonical, ifVersion)
    if (value === undefined)
      throw new StoreError('INVALID_VALUE', 'undefined cannot be stored: use delete, or null as a value.')
    const version = newVersion()
    return { type: 'set', key: canonical, value, version, expiresAt, ifVersion, facts: undefined }
  }

  /** The mutation of a delete, after all checks. */
  deleteOf(operation: string, key: K, options: AnySet = {}): Mutation<V> {
    const ifVersion = this.#condition(operation, options)
    return { type: 'delete', key: this.canonical(key), version: newVersion(), ifVersion }
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
      this.engine.readCall(settings),
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

  /** The key with this canonical key; `undefined`: it is not a key of this view. */
  keyOf(canonical: string): K | undefined {
    const text = isUserKey(canonical) ? userKey(this.prefix, canonical) : undefined
    return text === undefined || this.codec === undefined ? (text as K | undefined) : this.codec.decode(text)
  }

  /** The range that a listing with values asks the store for. @throws {StoreError} for what it cannot list */
  rangeOf(options: Parameters<typeof rangeOf<K>>[1]): ScanRange {
    this.demand('scan', 'scan')
    return rangeOf(this, options, true)
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

  /** The expiry that a call asks for. */
  expiry(operation: string, options: AnyExpiry): number | 'keep' | undefined {
    return checkedExpiry(this.engine.store, operation, options, this.engine.options.clock)
  }

  /** Whether a record with this expiry would be gone at once. */
  hasPassed(expiresAt: number | 'keep' | undefined): boolean {
    return hasPassed(expiresAt, this.engine.options.clock)
  }

  #condition(operation: string, options: AnySet): Version | null | undefined {
    return checkedCondition(this.engine.store, operation, options.ifVersion)
  }
}

function encoded<K>(codec: KeyCodec<K>, key: K): string {
  try {
    return heard(codec.encode(key))
  } catch (cause) {
    if (isStoreError(cause)) throw cause
    throw threw('The key codec', cause)
  }
}

function checkWhole(operation: string, number: unknown): void {
  if (Number.isSafeInteger(number)) return
  const message = `${operation}() takes safe integers as \`by\` and \`initial\`, got ${kindOf(number)}.`
  throw new StoreError('INVALID_ARGUMENT', message)
}

/** A set whose expiry has passed leaves no record. */
function expiredSet(key: string, ifVersion: Version | null | undefined): Mutation<never> {
  if (ifVersion !== null) return { type: 'delete', key, version: newVersion(), ifVersion }
  throw new StoreError(
    'INVALID_ARGUMENT',
    'expiresAt has passed: with ifVersion: null nothing could be stored.',
  )
}

/** `touch` with an expiry that has passed: delete the record. Resolves to whether it was there. */
function expire(engine: Engine, key: string, settings: CallSettings): Awaitable<boolean> {
  const { store } = engine
  const mutation: Mutation<unknown> = { type: 'delete', key, version: newVersion() }
  // Asked past all caches: a key that is cached as absent may be there.
  const { consistency = levelPastCaches(store) } = settings
  const call = engine.call({ ...settings, consistency })
  return engine.exclusively('touch', [mutation], call, () =>
    andThen(store.read([{ key, head: true }], call), (found) => {
      if (!presenceOf(found)) return false
      return andThen(store.write([mutation], call), (results) => outcomeOf(results) !== undefined)
    }),
  )
}
