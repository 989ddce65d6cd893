import { type Bytes, type KeyValue, keyValue, type Store, StoreError } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import type { ThreadData } from './messages.ts'

/** A store that a thread opened for itself. */
export interface OpenedStore {
  readonly store: Store<Bytes>
  /** The namespace of the records. */
  readonly keys: KeyValue<string, Bytes>
}

/** A store with eventual consistency may show a record later. */
const tries = 10
const pauseMs = 50

/** The record by which threads see that they share a store. */
export function sign(keys: KeyValue<string, Bytes>): KeyValue<string, Bytes> {
  return keys.namespace('threads')
}

/**
 * Open the store of a thread.
 *
 * @throws {StoreError} `UNSUPPORTED` if the records of other threads are not in it
 */
export async function opened({ opener, namespace, timeoutMs }: ThreadData): Promise<OpenedStore> {
  const { open } = (await import(opener.module)) as {
    readonly open: (url: string, options: object) => Promise<Store<Bytes>>
  }
  const store = await open(opener.url, opener.options)
  const all: KeyValue<string, Bytes> = keyValue(store, [], { timeoutMs })
  const keys = namespace.reduce((within, name) => within.namespace(name), all)
  if (await isShared(keys)) return { store, keys }
  await store.close()
  throw notShared(store.name)
}

async function isShared(keys: KeyValue<string, Bytes>): Promise<boolean> {
  for (let turn = 0; turn < tries; turn++) {
    if ((await sign(keys).get('shared')) !== undefined) return true
    await pause(pauseMs)
  }
  return false
}

function notShared(name: string): StoreError {
  const message = `${name} keeps its records in the thread that opened it, so several threads cannot drive it. Use one thread, or a store that threads can share.`
  return new StoreError('UNSUPPORTED', message)
}
