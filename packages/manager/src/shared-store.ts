import { type AnyStore, compose, passThrough } from '@unikv/core'

/** A store that another one uses too: closing it there leaves it open. The manager closes it itself. */
export function shared(store: AnyStore): AnyStore {
  const keptOpen = passThrough('shared', { wrap: () => ({ close: async () => {} }) })
  return compose(store, [keptOpen]) as AnyStore
}
