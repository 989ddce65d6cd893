import { adapterOf } from '@unikv/core/adapter'
import type { TunedStore } from '../tactic.ts'
import { builtOn } from '../tactics/built-on.ts'

/** Stores of the same manager that a change of this one does not touch: neither is built on the other, and they share no records. */
export function storesBeside({ name, kv, manager }: Omit<TunedStore, 'signal'>): readonly string[] {
  const { stores } = manager.configuration
  const own = builtOn(name, stores)
  const kvs = manager.stores as { readonly [store: string]: TunedStore['kv'] | undefined }
  return Object.keys(stores).filter((other) => {
    const its = kvs[other]
    if (its === undefined || own.includes(other) || builtOn(other, stores).includes(name)) return false
    const { dataset } = adapterOf(its)
    return dataset === undefined || dataset !== adapterOf(kv).dataset
  })
}
