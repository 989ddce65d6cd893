import { adapterOf } from '@unikv/core/adapter'
import type { AnyManager } from '@unikv/manager'
import type { TunedStore } from '../tactic.ts'
import { datasetPlace } from './dataset-place.ts'

/** A store of a manager as tactics reach it; `undefined`: there is none of this name. */
export function placeOf(name: string, manager: AnyManager): Omit<TunedStore, 'signal'> | undefined {
  const stores = manager.stores as { readonly [name: string]: TunedStore['kv'] | undefined }
  // Native calls may be counted under any name.
  const kv = Object.hasOwn(stores, name) ? stores[name] : undefined
  if (kv === undefined) return undefined
  const { dataset, name: own } = adapterOf(kv)
  return { name, ...datasetPlace(dataset ?? own), kv, manager }
}
