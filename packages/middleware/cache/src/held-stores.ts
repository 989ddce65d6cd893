import type { AnyStore } from '@unikv/core'

/** How many stacks keep something in a store, which is closed with the last of them. */
const holders = new WeakMap<object, number>()

/** One stack more. */
export function hold(store: AnyStore): void {
  holders.set(store, (holders.get(store) ?? 0) + 1)
}

/** One stack less; the last one closes the store. */
export async function release(store: AnyStore): Promise<void> {
  const left = (holders.get(store) ?? 1) - 1
  holders.set(store, left)
  if (left <= 0) await store.close()
}
