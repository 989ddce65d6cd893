import { type KeyValue, type StoreError, type Supporting, supports } from '@unikv/core'
import { checkFactoryOptions, checkKeyValue } from '@unikv/core/adapter'
import { deleted, deletedMany } from './deletes.ts'
import { existenceOf, valuesOf } from './reads.ts'

/** A value of Keyv, or an answer that Keyv 5 and Keyv 6 type differently. */
export type Known = any // oxlint-disable-line no-explicit-any -- it has to fit both

/** A storage adapter of Keyv 5 and Keyv 6: the `KeyvStoreAdapter` of version 5. */
export interface KeyvStore {
  /** Keyv 5 lists the keys of adapters only if they have one of the dialects that it knows. */
  readonly opts: { readonly dialect: 'redis'; readonly url: string }
  /** Set by Keyv 5, which puts it before each key, with a colon. Keyv 6 does not need it. */
  namespace?: string | undefined
  /** The value as Keyv gave it. */
  get(key: string): Promise<Known>
  /** Values aligned with the keys. A record that cannot be read is told to listeners of `error`, and `undefined`. */
  getMany(keys: readonly string[]): Promise<Known[]>
  /** Whether there is a value. */
  has(key: string): Promise<boolean>
  /** The same of several keys. */
  hasMany(keys: readonly string[]): Promise<boolean[]>
  /** `ttl` in milliseconds; without it, or with 0, an earlier expiry is removed. Below 0 nothing stays. */
  set(key: string, value: Known, ttl?: number): Promise<boolean>
  /** `true` for each. Each has its own expiry; the last one of a key counts. Rejects with `PARTIAL` if one failed. */
  setMany(entries: readonly KeyvStoreEntry[]): Promise<Known>
  /** Whether there was a value. */
  delete(key: string): Promise<boolean>
  /** Keyv 5: whether all were there; Keyv 6: which of them. */
  deleteMany(keys: readonly string[]): Promise<Known>
  /** All of the namespace. */
  clear(): Promise<void>
  /** All of the namespace, page by page. */
  iterator(namespace?: string): AsyncGenerator<[key: string, value: Known], void>
  /** Closes the KeyValue. */
  disconnect(): Promise<void>
  /** Keeps listeners of `error`: they are told of records that could not be read among several. Other failures reject. */
  on(event: string, listener: (...values: Known[]) => void): KeyvStore
}

/** One of `setMany`; `ttl` in milliseconds. */
export interface KeyvStoreEntry {
  readonly key: string
  readonly value: Known
  readonly ttl?: number | undefined
}

/**
 * A storage adapter for `new Keyv({ store })`. Failures reject, and Keyv reports them as its events of `error`.
 *
 * @param kv with `text()`, as Keyv makes text of values itself; closed by `keyv.disconnect()`
 * @param options there are none: `namespace` and `ttl` are options of Keyv
 * @throws {StoreError} `INVALID_CONFIG` for anything but a KeyValue, and for options
 */
export function keyvStore<V>(kv: KeyValue<string, V>, options?: undefined): KeyvStore {
  checkKeyValue('keyvStore', kv)
  checkFactoryOptions('keyvStore', options, {})
  const expiry = (ttl: number | undefined): { readonly ttlMs: number } | { readonly expiresAt?: number } => {
    // Keyv keeps the time of expiry in the value too, so stores that do not know expiry do without.
    if ((ttl ?? 0) === 0 || !supports(kv, 'ttl')) return {}
    const ttlMs = Math.ceil(ttl as number)
    return ttlMs <= 0 ? { expiresAt: 0 } : { ttlMs }
  }
  const listeners = new Set<(error: StoreError) => void>()
  const tell = (error: StoreError): void => {
    if (listeners.size === 0) throw error
    for (const listener of listeners) listener(error)
  }
  const store: KeyvStore = {
    opts: { dialect: 'redis', url: '' },
    get: async (key) => kv.get(key),
    getMany: async (keys) => valuesOf(kv, keys, tell),
    has: async (key) => kv.has(key),
    hasMany: async (keys) => existenceOf(kv, keys, tell),
    set: async (key, value, ttl) => (await (kv as Any<V>).set(key, value, expiry(ttl)), true),
    setMany: async (entries) => {
      const last = new Map(entries.map(({ key, value, ttl }) => [key, [key, value, expiry(ttl)] as const]))
      await (kv as Any<V>).setMany(last.values())
      return entries.map(() => true)
    },
    delete: async (key) => deleted(kv, key),
    deleteMany: async (keys) => {
      const existed = await deletedMany(kv, keys)
      return 'namespace' in store ? existed.every(Boolean) : existed
    },
    clear: async () => {
      const prefix = prefixOf(store.namespace)
      await (kv as Any<V>).clear(prefix === '' ? { all: true } : { prefix })
    },
    async *iterator(namespace) {
      const onUnreadable = listeners.size === 0 ? undefined : tell
      const listing = (kv as Any<V>).entries({ prefix: prefixOf(namespace), onUnreadable })
      for await (const [key, entry] of listing) yield [key, entry.value]
    },
    disconnect: async () => kv.close(),
    on: (event, listener) => {
      if (event === 'error') listeners.add(listener)
      return store
    },
  }
  return store
}

/** To both versions of Keyv an empty namespace is none. */
function prefixOf(namespace: string | undefined): string {
  return namespace === undefined || namespace === '' ? '' : `${namespace}:`
}

/** Where a store cannot do it, the call itself says so. */
type Any<V> = KeyValue<string, V, Supporting<'ttl' | 'scan'>>
