import {
  type AnyLayer,
  type AnyStore,
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  type Capabilities,
  compose,
  isEntry,
  isStoreError,
  type Mutation,
  newVersion,
  type Read,
  type ReadResult,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { callOptions, type Fact, fact } from '@unikv/core/adapter'
import type { StoreCacheLayer } from '../cache-layers.ts'
import type { CacheStats } from '../cache-stats.ts'
import { orThrown, unmade } from '../loads/answer.ts'
import { keptOnly, type Loading, loadings } from '../loads/loading.ts'
import { storeCache } from '../store/store-cache-layer.ts'
import type { StoreCacheOptions } from '../store-cache-options.ts'
import { pastTiers } from '../strong.ts'
import type { LoaderSource } from './loader-source.ts'

/** Capabilities of the source, for core: it supports all that a cache asks for, without limits. */
const capabilities: Capabilities = {
  scan: false,
  conditionalWrite: false,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: false,
  increment: false,
  batch: { atomicity: 'none', maxItems: 100_000, maxBytes: 2 ** 53 - 1, coalesce: false },
  maxKeyBytes: 65_536,
  maxValueBytes: 2 ** 53 - 1,
  durability: 'memory',
  isolation: 'linearizable',
  consistency: ['strong', keptOnly],
  evicts: true,
  sealed: false,
  documents: false,
  sync: 'none',
}

/**
 * The second tier of an explicit cache: the layers `codec` and `cache({ store })` over the loaders, so that what it
 * promises is what these promise.
 */
export class LowerTier {
  readonly #bytes: Store<Bytes>
  readonly #values: Store<unknown>
  readonly #encoder: Store<unknown>
  readonly #layer: StoreCacheLayer
  readonly #hasTags: boolean

  /** @throws {StoreError} `INVALID_CONFIG` for a bad option */
  constructor(source: LoaderSource, options: StoreCacheOptions, codec: AnyLayer) {
    // Loaders have no dataset: who shares the store with other caches names them.
    const named = { ...options, namespace: options.namespace ?? 'cache' }
    const layer = storeCache(named)
    this.#layer = layer
    this.#hasTags = options.tags !== undefined
    this.#bytes = compose(this.#sourceOf(source), [layer]) as Store<Bytes>
    this.#values = compose<AnyStore, readonly AnyLayer[]>(this.#bytes, [codec])
    this.#encoder = compose<AnyStore, readonly AnyLayer[]>(catcher, [codec])
  }

  /** Values of the tier, else of the loaders. A record that the codec cannot read counts as missing: it is loaded anew. */
  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<unknown>[]> {
    const results = await this.#read(reads, call)
    if (call.consistency === 'strong' || !results.some(isUnreadable)) return results
    if (call.consistency === keptOnly) return results.map((one) => (isUnreadable(one) ? undefined : one))
    return this.#read(reads, pastTiers(call))
  }

  /** The error of a loader reaches all callers of its key unchanged, also those that joined the load. */
  async #read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<unknown>[]> {
    const results = await this.#values.read(reads, call)
    return results.map(unmade) as readonly ReadResult<unknown>[]
  }

  /** Remove the records: afterwards they are gone, or not read again in this process. */
  async write(mutations: readonly Mutation<unknown>[], call: CallOptions): Promise<readonly WriteResult[]> {
    return this.#values.write(mutations, call)
  }

  /**
   * Put this value in the place of the record; `encoded` is of `encode`. Where there are tags nothing takes its place: they may
   * have been invalidated since it was told.
   */
  async replace(key: string, loading: Loading): Promise<readonly WriteResult[]> {
    const results = await this.#bytes.write([{ type: 'delete', key, version: newVersion() }], callOptions())
    if (this.#hasTags || results.some(isStoreError)) return results
    await this.#bytes.read([{ key }], callOptions({ consistency: 'strong', facts: loadings.with(loading) }))
    return results
  }

  /**
   * A value as the store will hold it.
   *
   * @throws {StoreError} `INVALID_VALUE` for what would not come back as it is
   */
  encode(key: string, value: unknown): Awaitable<Bytes> {
    const caught: Caught = { bytes: undefined }
    const mutation = { type: 'set' as const, key, value, version: newVersion() }
    return andThen(
      this.#encoder.write([mutation], callOptions({ facts: caughts.with(caught) })),
      ([result]) => {
        if (isStoreError(result)) throw result
        return caught.bytes as Bytes
      },
    )
  }

  /** The value that is read of these bytes, by this process too. */
  decode(key: string, bytes: Bytes): Awaitable<unknown> {
    const call = callOptions({ facts: caughts.with({ bytes }) })
    return andThen(this.#encoder.read([{ key }], call), ([result]) => {
      if (isStoreError(result)) throw result
      return result !== undefined && isEntry(result) ? result.value : undefined
    })
  }

  invalidateTags(tags: readonly string[]): Promise<void> {
    return this.#layer.invalidateTags(tags)
  }

  stats(): CacheStats {
    return this.#layer.stats()
  }

  close(): Promise<void> {
    return this.#bytes.close()
  }

  /** The loaders as a store of bytes. */
  #sourceOf(source: LoaderSource): Store<Bytes> {
    const load = (read: Read, call: CallOptions): Awaitable<ReadResult<Bytes>> =>
      andThen(source.load(read, call), (result) => {
        if (!isEntry(result)) return result
        const encoded = loadings.of(call.facts)?.encoded ?? this.encode(read.key, result.value)
        return andThen(encoded, (value) => ({ ...result, value }))
      })
    return {
      name: 'loader',
      dataset: 'loader',
      capabilities,
      native: undefined,
      read: (reads, call) =>
        Promise.all(reads.map(async (read) => orThrown(() => load(read, call)))) as Promise<
          readonly ReadResult<Bytes>[]
        >,
      write: (mutations) => source.write(mutations),
      scan: () => {
        throw new StoreError('UNSUPPORTED', 'A cache cannot list what its loaders could load.')
      },
      close: () => Promise.resolve(),
    }
  }
}

function isUnreadable(result: ReadResult<unknown>): boolean {
  return isStoreError(result) && result.code === 'CORRUPT'
}

/** The bytes that the codec made of a value, or reads. */
interface Caught {
  bytes: Bytes | undefined
}

/** Told by a call to a codec alone. */
const caughts: Fact<Caught> = fact('cache.caught')

/** Notes what a codec makes of a value, and gives it back. */
const catcher: Store<Bytes> = {
  name: 'codec',
  capabilities,
  native: undefined,
  read: (reads, { facts }) => {
    const bytes = caughts.of(facts)?.bytes
    return reads.map(() => bytes && { value: bytes, version: undefined, expiresAt: undefined })
  },
  write: (mutations, { facts }) =>
    mutations.map((mutation) => {
      const caught = caughts.of(facts)
      if (mutation.type === 'set' && caught !== undefined) caught.bytes = mutation.value
      return { version: mutation.version }
    }),
  scan: () => [],
  close: () => Promise.resolve(),
}
