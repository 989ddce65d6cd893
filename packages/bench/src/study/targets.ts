import type { StoreTarget } from '../run/target.ts'

/** The store of a cell, which its plan has named. */
export function targetOf({ stores }: { readonly stores: readonly StoreTarget[] }, name: string): StoreTarget {
  return stores.find((target) => target.name === name) as StoreTarget
}

/** The same list, of which another item is first, so that none always goes first. */
export function turned<T>(list: readonly T[], by: number): readonly T[] {
  return list.map((_, index) => list[(index + by) % list.length] as T)
}
