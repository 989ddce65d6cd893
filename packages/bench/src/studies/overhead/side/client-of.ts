import { type Bytes, type KeyValue, keyValue, supports } from '@unikv/core'
import { openBy } from '../../../drive/opened.ts'
import { configuration, formOf, name as storeName } from '../layers.ts'
import { type Client, type Documents, longestMs, remembering } from '../native/native-client.ts'
import { databaseOf, nativeOf } from '../native/natives.ts'
import { finderOf } from '../native/searching.ts'
import { type Peer, type PeerStore, peerOf } from '../peers.ts'
import { type SideStart, Values } from './messages.ts'

/** A side with its store. */
export interface OpenedSide {
  readonly client: Client<unknown>
  readonly values: Values
  close(): Promise<void>
}

/** Open the store as a program would, and take from it what the side needs. */
export async function clientOf(start: SideStart): Promise<OpenedSide> {
  if (start.side === 'layers') return layered(start)
  if (start.side === 'keyv' || start.side === 'unstorage') return beside(start.side, start)
  const { opener, namespace, timeoutMs, side, valueSize } = start
  const values = new Values('bytes', valueSize)
  const store = await openBy(opener)
  const all: KeyValue<string, Bytes> = keyValue(store, [], { timeoutMs })
  const close = (): Promise<void> => all.close()
  // Connects, and makes what the store itself needs, such as a keyspace.
  await all.get('unikv.bench')
  const finder = finderOf(opener.url)
  const table = `${start.name}_documents`
  if (side === 'unikv') {
    const client = ofKeyValue(namespace.reduce((kv, name) => kv.namespace(name), all))
    return { client: searching(client, await finder?.unikv(store.native, table, opener.url)), values, close }
  }
  const openNative = nativeOf(opener.url) as NonNullable<ReturnType<typeof nativeOf>>
  const flushed = ['flushed', 'replicated'].includes(store.capabilities.durability)
  const place = { ...start, database: databaseOf(opener.url), flushed }
  const client = await openNative(store.native, place)
  const listed = supports(all, 'scan') ? client : remembering(client)
  return { client: searching(listed, await finder?.native(store.native, table)), values, close }
}

/** The client with documents that can be searched. */
function searching<V>(client: Client<V>, documents: Documents | undefined): Client<V> {
  if (documents === undefined) return client
  const remove = async (): Promise<void> => {
    await client.remove()
    await documents.remove()
  }
  return { ...client, documents, remove }
}

/** The store with its layers, apart from the records without them. */
async function layered({ opener, layers, namespace, valueSize }: SideStart): Promise<OpenedSide> {
  const { openStore } = await import('@unikv/manager')
  const { dataset } = opener.options as { readonly dataset?: string }
  const { kv, close } = await openStore(configuration(opener.url, layers, dataset), storeName)
  const own = [...namespace, 'layers'].reduce((at, name) => at.namespace(name), kv)
  return { client: ofKeyValue(own), values: new Values(formOf(layers), valueSize), close }
}

async function beside(peer: Peer, start: SideStart): Promise<OpenedSide> {
  const { url } = start.opener
  const { open } = peerOf(peer, url) as PeerStore
  const { client, close } = await open(url, start)
  return { client, values: new Values('text', start.valueSize), close: async () => void (await close()) }
}

function ofKeyValue<V>(kv: KeyValue<string, V>): Client<V> {
  const isListed = supports(kv, 'scan')
  const set: Client<V>['insert'] =
    isListed || !supports(kv, 'ttl')
      ? (key, value) => kv.set(key, value)
      : (key, value) => kv.set(key, value, { ttlMs: longestMs })
  const client: Client<V> = {
    insert: set,
    update: set,
    read: (key) => kv.get(key),
    delete: (key) => kv.delete(key),
    // The run removes its own namespace.
    remove: async () => {},
  }
  return isListed ? client : remembering(client)
}
