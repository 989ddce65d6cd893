import type { AnyStore } from './compose.ts'
import { layersThrough } from './layers-through.ts'

/** Whether a cache may answer reads of this stack: one of its layers, or of those of the primary of a pair. */
export function hasCache(store: AnyStore): boolean {
  return layersThrough(store).some(({ layer }) => layer.name === 'cache')
}
