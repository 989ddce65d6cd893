import { type AnyStore, type Bytes, compose, type KeyValue, passThrough, type Store } from '@unikv/core'
import { codecOf, takesAtOnce } from '@unikv/core/adapter'
import { wrong } from './wrong.ts'

/** A store that others may use. */
export interface UsedStore {
  /** The store with its layers, as other stores use it: closing it does nothing. */
  readonly shared: AnyStore
  /** As the application uses it. */
  readonly kv: KeyValue<string, unknown>
}

/** A store that another one uses too: closing it there leaves it open. The manager closes it itself. */
export function shared(store: AnyStore): AnyStore {
  const keptOpen = passThrough('shared', {
    facts: takesAtOnce.with(true),
    passesFind: true,
    wrap: () => ({ close: async () => {} }),
  })
  return compose(store, [keptOpen]) as AnyStore
}

/**
 * A store that a mirror, a cache or a journal keeps its bytes in.
 *
 * @param path the place that names it
 * @throws {StoreError} `INVALID_CONFIG` for one that holds objects: every write to it would fail
 */
export function bytesStore(name: string, path: string, stores: ReadonlyMap<string, UsedStore>): Store<Bytes> {
  const { shared: store } = stores.get(name) as UsedStore
  const codec = codecOf(store)
  if (codec === undefined) return store as Store<Bytes>
  throw wrong(
    path,
    `${name} has the layer ${codec}, but here it must hold bytes. Give that layer to this store instead`,
  )
}
