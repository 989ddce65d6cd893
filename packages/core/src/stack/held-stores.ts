import type { AnyStore } from './compose.ts'

/** How many stacks keep something in a store, which is closed with the last of them. */
const holders = new WeakMap<object, number>()

/** One stack more keeps something of its own in this store: records of a cache, or a journal. */
export function holdStore(store: AnyStore): void {
  holders.set(store, (holders.get(store) ?? 0) + 1)
}

/** One stack less; the last one closes the store. */
export async function releaseStore(store: AnyStore): Promise<void> {
  const left = (holders.get(store) ?? 1) - 1
  holders.set(store, left)
  if (left <= 0) await store.close()
}
