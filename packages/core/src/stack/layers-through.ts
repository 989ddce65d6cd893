import type { AnyStore } from './compose.ts'
import { layersOf } from './layers-of.ts'
import { madeOf, type Place } from './made.ts'

/**
 * The layers that reads and writes of a stack go through, outermost first: its own, and below a store that is made of several
 * (mirror, fallback) those of its primary.
 */
export function layersThrough(store: AnyStore): readonly Place[] {
  const places = layersOf(store)
  const primary = primaryOf(store, places)
  return primary === undefined ? places : [...places, ...layersThrough(primary)]
}

/** Whether a stack ends in a store that is made of several: others than those of `layersThrough` may lie in it. */
export function isOfSeveral(store: AnyStore): boolean {
  return primaryOf(store, layersOf(store)) !== undefined
}

function primaryOf(store: AnyStore, places: readonly Place[]): AnyStore | undefined {
  const lowest = places.at(-1)?.inner ?? store
  return ((madeOf(lowest)?.of ?? lowest) as { readonly primary?: AnyStore }).primary
}
