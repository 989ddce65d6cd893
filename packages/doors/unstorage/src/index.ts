import { types } from 'node:util'
import { type Bytes, type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { checkFactoryOptions, checkKeyValue } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'

/** Options of one call. */
export interface ItemOptions {
  /** Life in seconds, as everywhere in unstorage. Without it, or with 0, an earlier expiry is removed. */
  readonly ttl?: number | undefined
}

/** An item of `setItems`. */
export interface NewItem {
  readonly key: string
  readonly value: string
  readonly options?: ItemOptions | undefined
}

/** A driver of unstorage. Values are text, raw values are bytes, and both are the same records. */
export interface UnikvDriver<KV> {
  readonly name: 'unikv'
  readonly flags: { readonly ttl: boolean }
  /** The KeyValue. */
  readonly getInstance: () => KV
  /** Whether there is a value. */
  readonly hasItem: (key: string) => Promise<boolean>
  /** `null` if there is none. */
  readonly getItem: (key: string) => Promise<string | null>
  /** Several values with one call, aligned with the items. */
  readonly getItems: (items: readonly { key: string }[]) => Promise<{ key: string; value: string | null }[]>
  /** The bytes. */
  readonly getItemRaw: (key: string) => Promise<Buffer | null>
  /** Store text. */
  readonly setItem: (key: string, value: string, options?: ItemOptions) => Promise<void>
  /** Store several with one call; the last one of a key counts. Rejects with `PARTIAL` if one failed. */
  readonly setItems: (items: readonly NewItem[]) => Promise<void>
  /** Store bytes, an ArrayBuffer, or text. */
  readonly setItemRaw: (key: string, value: unknown, options?: ItemOptions) => Promise<void>
  /** An absent one is a success. */
  readonly removeItem: (key: string) => Promise<void>
  /** Keys in the base: `users` has `users:ada`, but not `users2:ada`. Needs a store that lists its keys, as does `clear`. */
  readonly getKeys: (base?: string) => Promise<string[]>
  /** The remaining life in seconds if there is one; `null` without a value. */
  readonly getMeta: (key: string) => Promise<{ ttl?: number } | null>
  /** Remove the keys in the base, or all. */
  readonly clear: (base?: string) => Promise<void>
  /** Closes the KeyValue. */
  readonly dispose: () => Promise<void>
}

/**
 * A driver for `createStorage({ driver })` and `storage.mount(base, driver)`.
 *
 * @param kv of bytes, so without a codec
 * @param options there are none: a `base` is a namespace of the KeyValue, and each item has its own `ttl`
 * @throws {StoreError} `INVALID_CONFIG` for anything but a KeyValue, and for options
 */
export function unikvDriver<KV extends KeyValue<string, Bytes>>(
  kv: KV,
  options?: undefined,
): UnikvDriver<KV> {
  checkKeyValue('unikvDriver', kv)
  checkFactoryOptions('unikvDriver', options, {})
  // Where the store cannot do it, the call itself says so.
  const any = kv as KeyValue<string, Bytes> as KeyValue<string, Bytes, Supporting<'ttl' | 'scan'>>
  const set = async (key: string, value: Bytes, options: ItemOptions | undefined): Promise<void> => {
    await any.set(key, value, expiry(options))
  }
  return {
    name: 'unikv',
    flags: { ttl: supports(kv as KeyValue<string, Bytes>, 'ttl') },
    getInstance: () => kv,
    hasItem: async (key) => kv.has(key),
    getItem: async (key) => textOf(await kv.get(key)),
    getItems: async (items) => {
      const values = await kv.getMany(items.map(({ key }) => key))
      return items.map(({ key }, index) => ({ key, value: textOf(values[index]) }))
    },
    getItemRaw: async (key) => {
      const value = await kv.get(key)
      return value === undefined ? null : bufferOf(value)
    },
    setItem: async (key, value, options) => set(key, utf8Of(value), options),
    setItems: async (items) => {
      const last = new Map(
        items.map(({ key, value, options }) => [key, [key, utf8Of(value), expiry(options)] as const]),
      )
      await any.setMany(last.values())
    },
    setItemRaw: async (key, value, options) => set(key, bytesOf(value), options),
    removeItem: async (key) => void (await kv.delete(key)),
    getKeys: async (base = '') => {
      const keys: string[] = []
      for await (const key of any.keys({ prefix: prefixOf(base) })) keys.push(key)
      return keys
    },
    getMeta: async (key) => {
      const head = await kv.head(key)
      if (head?.expiresAt === undefined) return head ? {} : null
      return { ttl: Math.max(0, (head.expiresAt - wallClock()) / 1000) }
    },
    clear: async (base = '') =>
      void (await any.clear(base === '' ? { all: true } : { prefix: prefixOf(base) })),
    dispose: async () => kv.close(),
  }
}

/** A base ends at a part of a key. unstorage itself passes it with the colon. */
function prefixOf(base: string): string {
  return base === '' || base.endsWith(':') ? base : `${base}:`
}

/** Other drivers read 0 as no expiry. */
function expiry({ ttl }: ItemOptions = {}): { readonly ttlMs?: number } {
  return (ttl ?? 0) === 0 ? {} : { ttlMs: Math.ceil((ttl as number) * 1000) }
}

function utf8Of(value: unknown): Bytes {
  if (typeof value === 'string' && value.isWellFormed()) return Buffer.from(value)
  throw new StoreError('INVALID_VALUE', 'An item must be text that UTF-8 can hold. For bytes: setItemRaw.')
}

function textOf(value: Bytes | undefined): string | null {
  return value === undefined ? null : bufferOf(value).toString()
}

function bufferOf(value: ArrayBufferView): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function bytesOf(value: unknown): Bytes {
  if (typeof value === 'string') return utf8Of(value)
  if (ArrayBuffer.isView(value)) return bufferOf(value)
  if (types.isAnyArrayBuffer(value)) return Buffer.from(value)
  throw new StoreError(
    'INVALID_ARGUMENT',
    'setItemRaw takes bytes, an ArrayBuffer or text. For other values: setItem.',
  )
}
