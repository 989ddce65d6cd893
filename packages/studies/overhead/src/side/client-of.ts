import { type Bytes, type KeyValue, keyValue, type Store } from '@unikv/core'
import type { Client } from '../native/native-client.ts'
import { databaseOf, nativeOf } from '../native/natives.ts'
import type { SideStart } from './messages.ts'

/** A side with its store. */
export interface OpenedSide {
  readonly client: Client
  close(): Promise<void>
}

/** Open the store as a program would, and take from it what the side needs. */
export async function clientOf(start: SideStart): Promise<OpenedSide> {
  const { opener, namespace, timeoutMs, side } = start
  const { open } = (await import(opener.module)) as {
    readonly open: (url: string, options: object) => Promise<Store<Bytes>>
  }
  const store = await open(opener.url, opener.options)
  const all: KeyValue<string, Bytes> = keyValue(store, [], { timeoutMs })
  const close = (): Promise<void> => all.close()
  if (side === 'unikv')
    return { client: ofKeyValue(namespace.reduce((kv, name) => kv.namespace(name), all)), close }
  // Connects, and makes what the store itself needs, such as a keyspace.
  await all.get('unikv.bench')
  const openNative = nativeOf(opener.url) as NonNullable<ReturnType<typeof nativeOf>>
  return { client: await openNative(store.native, { ...start, database: databaseOf(opener.url) }), close }
}

function ofKeyValue(kv: KeyValue<string, Bytes>): Client {
  return {
    insert: (key, value) => kv.set(key, value),
    update: (key, value) => kv.set(key, value),
    read: (key) => kv.get(key),
    delete: (key) => kv.delete(key),
    // The run removes its own namespace.
    remove: async () => {},
  }
}
