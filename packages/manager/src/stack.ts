import {
  type AnyLayer,
  type AnyStore,
  type Bytes,
  compose,
  isStoreError,
  type KeyValue,
  keyValue,
  passThrough,
  type Store,
} from '@unikv/core'
import { open } from '@unikv/stores/lazy'
import type { StoreConfiguration } from './configuration/configuration.ts'
import { referencesOf } from './configuration/references.ts'
import { checkNeeds, type StoreUse } from './configuration/uses.ts'
import { isMadeLayer, layerNameOf } from './layers/layer-name.ts'
import { schemaLayers } from './layers/layers.ts'
import { madeLayer } from './layers/make-layer.ts'
import { madeOf } from './lone-references.ts'
import { bytesStore, shared, type UsedStore } from './shared-store.ts'
import { wrong } from './wrong.ts'

/** An opened store of a configuration. */
export interface Opened extends UsedStore {
  readonly name: string
  /** The names of stores that it uses. */
  readonly uses: readonly string[]
  /** Owns the store: closing it closes everything. */
  readonly root: KeyValue<string, unknown>
}

/** How stores are opened, besides what their configuration says. */
export interface Watching {
  /** Layers that a monitor puts above and below those of the configuration. */
  readonly above: readonly AnyLayer[]
  readonly below: readonly AnyLayer[]
  /** Whether what is missing, such as a table, is made. */
  readonly prepare: boolean
}

/**
 * A store with its layers. Nothing is connected.
 *
 * @param stores the stores that it may name
 * @param use what the program needs of it
 * @throws {StoreError} `INVALID_CONFIG` with the place
 */
export async function openedStore(
  name: string,
  store: StoreConfiguration,
  stores: ReadonlyMap<string, UsedStore>,
  watching: Watching,
  use?: StoreUse,
): Promise<Opened> {
  const path = `stores.${name}`
  const layers: AnyLayer[] = []
  checkSchemaHasLayer(path, store, use)
  for (const [i, layer] of (store.layers ?? []).entries())
    layers.push(await madeLayer(layer, `${path}.layers[${i}]`, stores, use?.schema))
  const source = await at(path, () => sourceOf(name, store, stores, watching.prepare))
  try {
    const { above, below } = watching
    const composed = await at(
      `${path}.layers`,
      () => compose(source, [...layers, ...below, ...naming(name, source)]) as AnyStore,
    )
    const uses = referencesOf(name, store).map((reference) => reference.name)
    return await at(path, async () => {
      const opened = stacked(name, store, composed, above, use)
      await checkTakesPart(opened, store, stores)
      return { ...opened, uses }
    })
  } catch (error) {
    // Anything else than a store was refused, and cannot be closed.
    if (typeof source?.close === 'function') await source.close().catch(() => {})
    throw error
  }
}

function stacked(
  name: string,
  { timeoutMs, graceMs, readConsistency, namespace }: StoreConfiguration,
  composed: AnyStore,
  above: readonly AnyLayer[],
  use?: StoreUse,
): Omit<Opened, 'uses'> {
  const options = { timeoutMs, graceMs, readConsistency }
  const root = keyValue<AnyStore, readonly AnyLayer[]>(composed, above, options)
  checkNeeds(name, root, use)
  const kv = namespace === undefined ? root : root.namespace(namespace)
  return { name, shared: shared(composed), root, kv }
}

/** A layer above `transactional` with which no transaction could run is a mistake of the configuration. */
async function checkTakesPart(
  { name, kv }: Omit<Opened, 'uses'>,
  { layers = [] }: StoreConfiguration,
  stores: ReadonlyMap<string, UsedStore>,
): Promise<void> {
  const [log] = layers.flatMap((one) => (isMadeLayer(one) ? [] : logNamedIn(one)))
  if (log === undefined) return
  const { transactions } = await import('@unikv/transaction')
  transactions({ [name]: kv, log: stores.get(log)?.kv as typeof kv })
}

function logNamedIn(layer: unknown): readonly string[] {
  const { log } = (layer as { readonly transactional?: { readonly log?: unknown } }).transactional ?? {}
  return typeof log === 'string' ? [log] : []
}

/** A store that others use too, or a pair of them, has the name of this place in errors and figures. */
function naming(name: string, source: AnyStore): readonly AnyLayer[] {
  return source?.name === name
    ? []
    : [passThrough('named', { storeName: name, passesFind: true, wrap: () => ({}) })]
}

/** A schema that no layer takes would be ignored. */
function checkSchemaHasLayer(path: string, { layers = [] }: StoreConfiguration, use?: StoreUse): void {
  const isCodec = (layer: unknown): boolean =>
    !isMadeLayer(layer) && schemaLayers.includes(layerNameOf(layer))
  if (use?.schema === undefined || layers.some(isCodec)) return
  const what = `the program has a schema for its values, so one of ${schemaLayers.join(', ')} must be in the list, by name`
  throw wrong(`${path}.layers`, what)
}

async function sourceOf(
  name: string,
  store: StoreConfiguration,
  stores: ReadonlyMap<string, UsedStore>,
  prepare: boolean,
): Promise<AnyStore> {
  const { url, dataset, needs, from, mirror: mirrored, fallback: fallen } = store
  if (url !== undefined) return (await open(url, { name, dataset, needs, prepare })) as AnyStore
  if (from !== undefined) return stores.get(from)?.shared as AnyStore
  if (store.store !== undefined) return store.store
  const given = (mirrored ?? fallen) as NonNullable<typeof mirrored>
  const { primary, secondary } = given
  const { fallback, mirror } = await import('@unikv/mirror')
  const path = `stores.${name}.${mirrored === undefined ? 'fallback' : 'mirror'}`
  const bytes = (side: string, its: string): Store<Bytes> => bytesStore(its, `${path}.${side}`, stores)
  const pair = [bytes('primary', primary), bytes('secondary', secondary)] as const
  return madeOf(given, ({ primary: _, secondary: __, ...options }) => {
    if (mirrored === undefined) return fallback(...pair, options)
    const { journal } = options
    return mirror(
      ...pair,
      typeof journal === 'string' ? { ...options, journal: bytes('journal', journal) } : options,
    )
  })
}

/** An error of a factory becomes one of the configuration, with its place. */
async function at<T>(path: string, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (cause) {
    if (!isStoreError(cause) || cause.message.startsWith('stores.')) throw cause
    throw wrong(path, cause.message, cause)
  }
}
