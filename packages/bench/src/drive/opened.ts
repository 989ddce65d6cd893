import { type Bytes, type KeyValue, keyValue, type Store } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import { withKnownKeys } from '../run/known-keys.ts'
import { isOwnStore, openOwnStore } from '../run/own-store.ts'
import type { StoreNode, StoreOpener } from '../run/target.ts'
import { type Share, whole } from './share.ts'

/** Open a store once more. */
export async function openBy({ knownKeys, ...opener }: StoreOpener): Promise<Store<Bytes>> {
  const store = await openAgain(opener)
  return knownKeys === undefined ? store : withKnownKeys(store, knownKeys)
}

async function openAgain({ module, url, options }: StoreOpener): Promise<Store<Bytes>> {
  if (isOwnStore(url)) return openOwnStore(url, options)
  const { open } = (await import(module)) as {
    readonly open: (url: string, options: object) => Promise<Store<Bytes>>
  }
  return open(url, options)
}

/** How a store is opened again and again: the connection of a number goes to a node of its own, if the URL names several. */
export interface Reopening {
  /** Names of the nodes over which connections are spread; none or one: they are not. */
  readonly nodes: readonly string[]
  nodeOf(number: number): string | undefined
  open(number: number): Promise<Store<Bytes>>
}

/** The connections of one of several drivers: together they take the nodes in turn. */
export function reopening(opener: StoreOpener, { index, of }: Share = whole): Reopening {
  const { nodes = [] } = opener
  const nodeOf = (number: number): StoreNode | undefined => nodes[(number * of + index) % nodes.length]
  return {
    nodes: nodes.map(({ name }) => name),
    nodeOf: (number) => nodeOf(number)?.name,
    open: (number) => openBy({ ...opener, url: nodeOf(number)?.url ?? opener.url }),
  }
}

/** A store with eventual consistency may show a record later. */
const tries = 10
const pauseMs = 50

/** Leave a record by which others that open the store see that they share it. */
export async function signShared(keys: KeyValue<string, Bytes>): Promise<void> {
  await signs(keys).set('shared', new Uint8Array(1))
}

/** Whether the sign of another driver is in this namespace. */
export async function isShared(keys: KeyValue<string, Bytes>): Promise<boolean> {
  for (let turn = 0; turn < tries; turn++) {
    if ((await signs(keys).get('shared')) !== undefined) return true
    await pause(pauseMs)
  }
  return false
}

function signs(keys: KeyValue<string, Bytes>): KeyValue<string, Bytes> {
  return keys.namespace('threads')
}

/** The records of a namespace of an open store, from the outermost namespace on. */
export function keysIn(
  store: Store<Bytes>,
  { namespace, timeoutMs }: { readonly namespace: readonly string[]; readonly timeoutMs: number },
  coalesce = false,
): KeyValue<string, Bytes> {
  const all: KeyValue<string, Bytes> = keyValue(store, [], { timeoutMs, coalesce })
  return namespace.reduce((within, name) => within.namespace(name), all)
}
