import { adapterOf } from '@unikv/core/adapter'
import type { AnyManager } from '@unikv/manager'
import type { TunedStore } from '../tactic.ts'
import { indexers } from '../tactics/indexers.ts'

/** A store of a manager as tactics reach it; `undefined`: there is none of this name. */
export function placeOf(name: string, manager: AnyManager): Omit<TunedStore, 'signal'> | undefined {
  const stores = manager.stores as { readonly [name: string]: TunedStore['kv'] | undefined }
  // Native calls may be counted under any name.
  const kv = Object.hasOwn(stores, name) ? stores[name] : undefined
  if (kv === undefined) return undefined
  const { dataset, name: own } = adapterOf(kv)
  const { kind, table } = datasetPlace(dataset ?? own)
  // Without tables the store goes by its name.
  return { name, kind, table: indexers[kind] === undefined ? name : table, kv, manager }
}

/** Kind and table of a dataset, from its name: `mongodb/db:27017/shop/tx` is the collection `shop.tx`. */
export function datasetPlace(dataset: string): { readonly kind: string; readonly table: string } {
  const [kind = '', ...places] = dataset.split('/')
  const table = places.pop() ?? kind
  const place = placers[kind]?.(places)
  return { kind, table: place === undefined ? table : `${place}.${table}` }
}

/** Where a table is: the native client of these kinds does not always know. `undefined`: where its connection is. */
const placers: {
  readonly [kind: string]: ((places: readonly string[]) => string | undefined) | undefined
} = {
  cassandra: (places) => places.at(-1),
  mongodb: (places) => places.at(-1),
  // Host, port, database, and the schema if one was named; of a pool that was handed in the schema alone.
  postgres(places) {
    const port = places.findIndex((part, at) => at > 0 && /^\d+$/.test(part))
    return port === -1 ? places[0] : places[port + 2]
  },
}
