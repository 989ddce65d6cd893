import { type Bytes, compose, keyValue, type Store } from '@unikv/core'
import type { MemoryCapabilities } from '@unikv/core/memory'
import { cache, type ObjectCacheLayer, type ObjectCacheOptions } from '../src/index.ts'
import { type GatedStore, gatedStore } from './gated-store.ts'

export const bytes = (text: string): Bytes => Buffer.from(text)
export const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : Buffer.from(value as Bytes).toString()

/** The gated store as a type with all that the memory store declares. */
export type Stack = Store<Bytes, MemoryCapabilities>

/** A cache of objects over a gated store. */
export function gated(options: ObjectCacheOptions = {}): {
  readonly store: GatedStore
  readonly c: ObjectCacheLayer
  readonly stack: Stack
} {
  const store = gatedStore(options.clock === undefined ? {} : { clock: options.clock })
  const c = cache(options)
  return { store, c, stack: compose(store, [c]) as Store<Bytes> as Stack }
}

/** Write to the store behind its gate and the cache. */
export async function put(store: GatedStore, key: string, text: string): Promise<void> {
  await keyValue(store.inner).set(key, bytes(text))
}
