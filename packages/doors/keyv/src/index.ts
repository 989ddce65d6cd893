import { type KeyValue, type Supporting, supports } from '@unikv/core'

/** What Keyv 5 and Keyv 6 call a storage adapter. */
export interface KeyvStore<V = unknown> {
  /** Keyv 5 lists the keys of adapters only if they have one of the dialects that it knows. */
  readonly opts: { readonly dialect: 'redis'; readonly url: string }
  /** Set by Keyv 5, which puts it before each key, with a colon. Keyv 6 does not need it. */
  namespace?: string | undefined
  /** The value as Keyv gave it. */
  get(key: string): Promise<V | undefined>
  /** Values aligned with the keys. */
  getMany(keys: readonly string[]): Promise<(V | undefined)[]>
  /** Whether there is a value. */
  has(key: string): Promise<boolean>
  /** The same of several keys. */
  hasMany(keys: readonly string[]): Promise<boolean[]>
  /** `ttl` in milliseconds; without it an earlier expiry is removed. */
  set(key: string, value: V, ttl?: number): Promise<boolean>
  /** Each with its own expiry; rejects with `PARTIAL` if one failed. */
  setMany(entries: readonly KeyvStoreEntry<V>[]): Promise<boolean[]>
  /** Whether there was a value. */
  delete(key: string): Promise<boolean>
  /** Keyv 5: whether all were there; Keyv 6: which of them. */
  deleteMany(keys: readonly string[]): Promise<boolean | boolean[]>
  /** All of the namespace. */
  clear(): Promise<void>
  /** All of the namespace, page by page. */
  iterator(namespace?: string): AsyncGenerator<[key: string, value: V], void>
  /** Closes the KeyValue. */
  disconnect(): Promise<void>
  /** Nothing is emitted: failures reject. */
  on(event: string, listener: (...values: never[]) => void): KeyvStore<V>
}

/** One of `setMany`; `ttl` in milliseconds. */
export interface KeyvStoreEntry<V> {
  readonly key: string
  readonly value: V
  readonly ttl?: number | undefined
}

/**
 * A storage adapter for `new Keyv({ store })`. Failures reject, and Keyv reports them as its events of `error`.
 *
 * @param kv with `text()`, as Keyv makes text of values itself; closed by `keyv.disconnect()`
 */
export function keyvStore<V>(kv: KeyValue<string, V>): KeyvStore<V> {
  const expiry = (ttl: number | undefined): { readonly ttlMs?: number } =>
    // Keyv keeps the time of expiry in the value too, so stores that do not know expiry do without.
    ttl === undefined || !supports(kv, 'ttl') ? {} : { ttlMs: Math.ceil(ttl) }
  const store: KeyvStore<V> = {
    opts: { dialect: 'redis', url: '' },
    get: async (key) => kv.get(key),
    getMany: async (keys) => kv.getMany(keys),
    has: async (key) => kv.has(key),
    // Calls of one turn go to the store as one.
    hasMany: async (keys) => Promise.all(keys.map((key) => kv.has(key))),
    set: async (key, value, ttl) => (await (kv as Any<V>).set(key, value, expiry(ttl)), true),
    setMany: async (entries) => {
      const items = entries.map(({ key, value, ttl }) => [key, value, expiry(ttl)] as const)
      return (await (kv as Any<V>).setMany(items)).map(() => true)
    },
    delete: async (key) => deleted(kv, key),
    deleteMany: async (keys) => {
      const existed = await Promise.all(keys.map((key) => deleted(kv, key)))
      return 'namespace' in store ? existed.every(Boolean) : existed
    },
    clear: async () => {
      const { namespace } = store
      await (kv as Any<V>).clear(namespace === undefined ? { all: true } : { prefix: `${namespace}:` })
    },
    async *iterator(namespace) {
      const prefix = namespace === undefined ? '' : `${namespace}:`
      for await (const [key, entry] of (kv as Any<V>).entries({ prefix })) yield [key, entry.value]
    },
    disconnect: async () => kv.close(),
    on: () => store,
  }
  return store
}

/** Where a store does not tell what a delete removed, it is asked before: of two callers at once both may hear `true`. */
async function deleted<V>(kv: KeyValue<string, V>, key: string): Promise<boolean> {
  if (supports(kv, 'existed')) return (await kv.delete(key)).existed
  const [existed] = await Promise.all([kv.has(key), kv.delete(key)])
  return existed
}

/** Where a store cannot do it, the call itself says so. */
type Any<V> = KeyValue<string, V, Supporting<'ttl' | 'scan'>>
