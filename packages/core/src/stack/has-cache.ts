import { type AnyStore, madeOf } from './compose.ts'
import { layersOf } from './layers-of.ts'

/** Whether a cache may answer reads of this stack: one of its layers, or of those of the primary of a pair. */
export function hasCache(store: AnyStore): boolean {
  const places = layersOf(store)
  if (places.some(({ layer }) => layer.name === 'cache')) return true
  const lowest = places.at(-1)?.inner ?? store
  const { primary } = (madeOf(lowest)?.of ?? lowest) as { readonly primary?: AnyStore }
  return primary !== undefined && hasCache(primary)
}
