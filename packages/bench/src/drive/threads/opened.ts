import { type Bytes, type KeyValue, keyValue, type Store, StoreError } from '@unikv/core'
import { openBy } from '../open-by.ts'
import { isShared } from '../shared-sign.ts'
import type { ThreadData } from './messages.ts'

/** A store that a thread opened for itself. */
export interface OpenedStore {
  readonly store: Store<Bytes>
  /** The namespace of the records. */
  readonly keys: KeyValue<string, Bytes>
}

/**
 * Open the store of a thread.
 *
 * @throws {StoreError} `UNSUPPORTED` if the records of other threads are not in it
 */
export async function opened({ opener, namespace, timeoutMs }: ThreadData): Promise<OpenedStore> {
  const store = await openBy(opener)
  const all: KeyValue<string, Bytes> = keyValue(store, [], { timeoutMs, coalesce: false })
  const keys = namespace.reduce((within, name) => within.namespace(name), all)
  if (await isShared(keys)) return { store, keys }
  await store.close()
  throw notShared(store.name)
}

function notShared(name: string): StoreError {
  const message = `${name} keeps its records in the thread that opened it, so several threads cannot drive it. Use one thread, or a store that threads can share.`
  return new StoreError('UNSUPPORTED', message)
}
