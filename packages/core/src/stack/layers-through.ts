import type { AnyStore } from './compose.ts'
import { layersOf } from './layers-of.ts'
import { madeOf, type Place } from './made.ts'

/**
 * The layers that reads and writes of a stack go through, outermost first: its own, and below a store that is made of several
 * (mirror, fallback) those of its primary.
 */
export function layersThrough(store: AnyStore): readonly Place[] {
  const places = layersOf(store)
  const lowest = places.at(-1)?.inner ?? store
  const { primary } = (madeOf(lowest)?.of ?? lowest) as { readonly primary?: AnyStore }
  return primary === undefined ? places : [...places, ...layersThrough(primary)]
}
