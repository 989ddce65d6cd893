import { type AnyStore, type Bytes, compose, passThrough, type Store } from '@unikv/core'
import { codecOf } from '@unikv/core/adapter'
import { wrong } from './wrong.ts'

/** A store that another one uses too: closing it there leaves it open. The manager closes it itself. */
export function shared(store: AnyStore): AnyStore {
  const keptOpen = passThrough('shared', { takesAtOnce: true, wrap: () => ({ close: async () => {} }) })
  return compose(store, [keptOpen]) as AnyStore
}

/**
 * A store that a mirror, a cache or a journal keeps its bytes in.
 *
 * @param path the place that names it
 * @throws {StoreError} `INVALID_CONFIG` for one that holds objects: every write to it would fail
 */
export function bytesStore(name: string, path: string, stores: ReadonlyMap<string, AnyStore>): Store<Bytes> {
  const store = stores.get(name) as AnyStore
  const codec = codecOf(store)
  if (codec === undefined) return store as Store<Bytes>
  throw wrong(
    path,
    `${name} has the layer ${codec}, but here it must hold bytes. Give that layer to this store instead`,
  )
}
