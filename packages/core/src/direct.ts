import { type Awaitable, andThen, isPromise } from './awaitable.ts'
import { canonicalKey, keyBytes } from './canonical-key.ts'
import { type Engine, located } from './engine.ts'
import { isConditionFailed, isEntry } from './entry.ts'
import { isStoreError, StoreError } from './errors.ts'
import type { KeyCodec } from './key-codec.ts'
import type {
  CallSettings,
  DeleteOptions,
  IncrementOptions,
  SetManyOptions,
  SetOptions,
} from './key-value.ts'
import type {
  ConditionFailed,
  Entry,
  Mutation,
  NotModified,
  Read,
  ReadResult,
  Version,
  WriteResult,
  Written,
} from './store.ts'
import { newVersion } from './version.ts'

/** Settings of a write, whatever the capabilities declare; checked at run time. */
type AnySet = CallSettings & { readonly ttlMs?: unknown; readonly ifVersion?: unknown }

/**
 * The operations on keys, answering at once where the stack does: what the promise-based KeyValue and its
 * synchronous twin are two faces of. Here arguments are checked, keys made canonical, defaults applied,
 * undeclared operations refused and errors wrapped, once for all adapters.
 */
export class Direct<K, V> {
  readonly engine: Engine
  readonly prefix: string
  readonly codec: KeyCodec<K> | undefined

  /** `prefix` comes from `namespacePrefix`; without a codec, keys are strings. */
  constructor(engine: Engine, prefix: string, codec: KeyCodec<K> | undefined) {
    this.engine = engine
    this.prefix = prefix
    this.codec = codec
  }

  get(key: K, settings?: CallSettings): Awaitable<V | undefined> {
    const found = this.readOne('get', { key: this.canonical(key) }, settings)
    return isPromise(found) ? found.then(valueOf<V>) : valueOf(found)
  }

  getEntry(key: K, settings?: CallSettings): Awaitable<Entry<V> | undefined> {
    return this.readOne('getEntry', { key: this.canonical(key) }, settings) as Awaitable<Entry<V> | undefined>
  }

  has(key: K, settings?: CallSettings): Awaitable<boolean> {
    return andThen(
      this.readOne('has', { key: this.canonical(key), head: true }, settings),
      (found) => found !== undefined,
    )
  }

  revalidate(
    key: K,
    version: Version,
    settings?: CallSettings,
  ): Awaitable<Entry<V> | NotModified | undefined> {
    this.demand('conditionalRead', 'revalidate')
    return this.readOne('revalidate', { key: this.canonical(key), ifNotVersion: version }, settings)
  }

  getMany(keys: Iterable<K>, settings?: CallSettings): Awaitable<(V | undefined)[]> {
    const reads = this.#distinct(keys, 'getMany').map((key) => ({ key }))
    if (reads.length === 0) return []
    const call = this.engine.call(settings)
    return this.#guard('getMany', undefined, () =>
      andThen(this.engine.read(reads, call), (results) =>
        this.#allOrPartial(results as readonly ReadResult<V>[], reads),
      ),
    )
  }

  set(key: K, value: V, options?: SetOptions): Awaitable<Written> {
    return this.writeOne('set', this.#setMutation('set', this.canonical(key), value, options), options)
  }

  delete(key: K, options?: DeleteOptions): Awaitable<Written> {
    const ifVersion = this.#condition('delete', (options as AnySet | undefined)?.ifVersion)
    return this.writeOne(
      'delete',
      { type: 'delete', key: this.canonical(key), version: this.#version(), ifVersion },
      options,
    )
  }

  touch(key: K, settings: CallSettings & { readonly ttlMs: number | undefined }): Awaitable<boolean> {
    this.demand('touch', 'touch')
    const expiresAt = this.#expiry('touch', settings.ttlMs)
    if (expiresAt === 'keep')
      throw new StoreError(
        'INVALID_ARGUMENT',
        'touch sets an expiry: give ttlMs in milliseconds, or undefined for none.',
      )
    const mutation: Mutation<V> = {
      type: 'touch',
      key: this.canonical(key),
      version: this.#version(),
      expiresAt,
    }
    return andThen(this.mutate('touch', mutation, settings), (result) => !isConditionFailed(result))
  }

  increment(key: K, by = 1, options?: IncrementOptions): Awaitable<number> {
    this.demand('increment', 'increment')
    const initial = options?.initial ?? 0
    if (!Number.isSafeInteger(by) || !Number.isSafeInteger(initial))
      throw new StoreError('INVALID_ARGUMENT', 'increment takes safe integers only.')
    const expiresAt = this.#expiry('increment', (options as AnySet | undefined)?.ttlMs)
    if (expiresAt === 'keep')
      throw new StoreError(
        'INVALID_ARGUMENT',
        'increment keeps the expiry of an existing record anyway: leave ttlMs out.',
      )
    const mutation: Mutation<V> = {
      type: 'increment',
      key: this.canonical(key),
      version: this.#version(),
      by,
      initial,
      expiresAt,
    }
    return andThen(this.writeOne('increment', mutation, options), ({ value }) => value as number)
  }

  setMany(entries: Iterable<readonly [K, V]>, options?: SetManyOptions): Awaitable<(Written | StoreError)[]> {
    if ((options as AnySet | undefined)?.ifVersion !== undefined)
      throw new StoreError('UNSUPPORTED', 'setMany takes no condition: use set for each key.')
    const pairs = Array.from(entries)
    const keys = this.#distinct(
      pairs.map(([key]) => key),
      'setMany',
    )
    return this.#writeMany(
      'setMany',
      keys.map((key, i) => this.#setMutation('setMany', key, pairs[i]?.[1] as V, options)),
      options,
    )
  }

  deleteMany(keys: Iterable<K>, settings?: CallSettings): Awaitable<(Written | StoreError)[]> {
    const mutations = this.#distinct(keys, 'deleteMany').map(
      (key): Mutation<V> => ({ type: 'delete', key, version: this.#version() }),
    )
    return this.#writeMany('deleteMany', mutations, settings)
  }

  /** Read one canonical key; an error in its place is thrown. */
  readOne(
    operation: string,
    read: Read,
    settings?: CallSettings,
  ): Awaitable<Entry<V> | NotModified | undefined> {
    const call = this.engine.call(settings)
    return this.#guard(operation, read.key, () =>
      andThen(this.engine.read([read], call), (results) => orThrow(results[0] as ReadResult<V>)),
    )
  }

  /** Write one mutation; a refusal by its condition is `CONDITION_FAILED`. */
  writeOne(operation: string, mutation: Mutation<V>, settings?: CallSettings): Awaitable<Written> {
    return andThen(this.mutate(operation, mutation, settings), (result) => {
      if (!isConditionFailed(result)) return result
      throw located(conditionFailed(result), operation, this.engine.store, mutation.key)
    })
  }

  /** Write one mutation. */
  mutate(
    operation: string,
    mutation: Mutation<V>,
    settings?: CallSettings,
  ): Awaitable<Written | ConditionFailed> {
    const call = this.engine.call(settings)
    return this.#guard(operation, mutation.key, () =>
      andThen(this.engine.write([mutation], call), (results) => orThrow(results[0] as WriteResult)),
    )
  }

  /** The canonical key, after all checks. */
  canonical(key: K): string {
    const text = this.codec === undefined ? key : this.codec.encode(key)
    if (typeof text !== 'string')
      throw new StoreError(
        'INVALID_KEY',
        'A key must be a string. For other keys, give a key codec (bytesKey, tupleKey).',
      )
    if (text === '') throw new StoreError('INVALID_KEY', 'A key must not be empty.')
    if (!text.isWellFormed())
      throw new StoreError(
        'INVALID_KEY',
        'A key must be well-formed: it holds a lone surrogate. Use bytesKey for binary keys.',
      )
    const canonical = canonicalKey(this.prefix, text)
    const { maxKeyBytes } = this.engine.store.capabilities
    if (canonical.length * 3 > maxKeyBytes && keyBytes(canonical) > maxKeyBytes)
      throw tooLong(canonical, this.engine)
    return canonical
  }

  /** Refuse an operation that the store does not declare. */
  demand(
    capability: 'conditionalRead' | 'conditionalWrite' | 'touch' | 'increment' | 'ttl' | 'scan',
    operation: string,
  ): void {
    if (this.engine.store.capabilities[capability] !== false) return
    const { name } = this.engine.store
    throw new StoreError(
      'UNSUPPORTED',
      `${name} does not declare ${capability}, which ${operation} needs here.`,
      { operation, store: name },
    )
  }

  #setMutation(operation: string, key: string, value: V, options: SetManyOptions | undefined): Mutation<V> {
    if (value === undefined)
      throw new StoreError('INVALID_VALUE', 'undefined cannot be stored: use delete, or null as a value.')
    const { ttlMs, ifVersion } = (options ?? {}) as AnySet
    const expiresAt = this.#expiry(operation, ttlMs)
    return {
      type: 'set',
      key,
      value,
      version: this.#version(),
      expiresAt,
      ifVersion: this.#condition(operation, ifVersion),
    }
  }

  #condition(operation: string, ifVersion: unknown): Version | null | undefined {
    if (ifVersion === undefined) return undefined
    this.demand('conditionalWrite', operation)
    if (ifVersion === null || typeof ifVersion === 'string') return ifVersion
    throw new StoreError(
      'INVALID_ARGUMENT',
      'ifVersion must be a version (of getEntry or an earlier write), or null for a new key.',
    )
  }

  #expiry(operation: string, ttlMs: unknown): number | 'keep' | undefined {
    if (ttlMs === undefined) return undefined
    this.demand('ttl', operation)
    if (ttlMs === 'keep') return ttlMs
    if (typeof ttlMs === 'number' && ttlMs > 0 && ttlMs <= maxTtlMs)
      return Math.ceil(this.engine.options.clock() + ttlMs)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `ttlMs must be a number of milliseconds above 0 and at most ${maxTtlMs}, or 'keep'.`,
    )
  }

  #version(): Version {
    return newVersion()
  }

  #distinct(keys: Iterable<K>, operation: string): string[] {
    const canonical = Array.from(keys, (key) => this.canonical(key))
    if (new Set(canonical).size === canonical.length) return canonical
    throw new StoreError('INVALID_ARGUMENT', `${operation} names a key twice. Give each key once.`)
  }

  #writeMany(
    operation: string,
    mutations: readonly Mutation<V>[],
    settings: CallSettings | undefined,
  ): Awaitable<(Written | StoreError)[]> {
    if (mutations.length === 0) return []
    const call = this.engine.call(settings)
    return this.#guard(operation, undefined, () =>
      andThen(this.engine.write(mutations, call), (results) =>
        results.map((result, i) => {
          if (isStoreError(result)) return located(result, operation, this.engine.store, mutations[i]?.key)
          return isConditionFailed(result)
            ? located(conditionFailed(result), operation, this.engine.store, mutations[i]?.key)
            : result
        }),
      ),
    )
  }

  #allOrPartial(results: readonly ReadResult<V>[], reads: readonly Read[]): (V | undefined)[] {
    const failed = results.filter(isStoreError).length
    if (failed === 0) return results.map(valueOf<V>)
    const withKeys = results.map((result, i) =>
      isStoreError(result) ? located(result, 'getMany', this.engine.store, reads[i]?.key) : result,
    )
    const message = `${failed} of ${results.length} keys could not be read; error.results holds the result of each.`
    throw new StoreError('PARTIAL', message, { results: withKeys, cause: withKeys.find(isStoreError) })
  }

  /** Add operation, store and key to whatever goes wrong, at once or later. */
  #guard<T>(operation: string, key: string | undefined, work: () => Awaitable<T>): Awaitable<T> {
    try {
      const answer = work()
      if (!isPromise(answer)) return answer
      return answer.catch((error: unknown) => {
        throw located(error, operation, this.engine.store, key)
      })
    } catch (error) {
      throw located(error, operation, this.engine.store, key)
    }
  }
}

/** A hundred years: above it lies a mistake in units. */
const maxTtlMs = 3_155_760_000_000

function valueOf<V>(found: ReadResult<V>): V | undefined {
  return isEntry(found) ? found.value : undefined
}

function orThrow<T>(result: T | StoreError): T {
  if (isStoreError(result)) throw result
  return result
}

function conditionFailed({ version }: ConditionFailed): StoreError {
  return new StoreError(
    'CONDITION_FAILED',
    'The record does not have the expected version. Read it again and decide anew.',
    { version },
  )
}

function tooLong(canonical: string, { store }: Engine): StoreError {
  const { maxKeyBytes } = store.capabilities
  const message = `The key has ${keyBytes(canonical)} bytes with its namespace; ${store.name} takes ${maxKeyBytes}.`
  return new StoreError('KEY_TOO_LONG', message)
}
