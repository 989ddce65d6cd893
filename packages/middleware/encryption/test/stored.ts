import { type Bytes, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { MemoryStore } from '@unikv/core/memory'
import { encryption } from '../src/index.ts'
import { keys } from './records.ts'

/** The dataset of the tests. */
export const dataset = 'users'

/** A layer of that dataset. */
export const layerOf = (): ReturnType<typeof encryption> => encryption({ dataset, keys })

/** What the store itself holds under a canonical key. */
export function held(store: MemoryStore, key: string): Bytes {
  return store.native.get(key)?.value as Bytes
}

/** Put bytes into the store behind the back of the layer. */
export async function plant(store: MemoryStore, key: string, value: Bytes): Promise<void> {
  await store.write([{ type: 'set', key, value, version: newVersion() }], callOptions())
}
