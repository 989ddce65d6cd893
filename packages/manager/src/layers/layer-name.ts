import type { AnyLayer } from '@unikv/core'
import { isPlainObject } from '@unikv/core/platform'

/** Whether a layer of a configuration is what a layer function returned. */
export function isMadeLayer(layer: unknown): layer is AnyLayer {
  return isPlainObject(layer) && 'plan' in layer
}

/** The name of a layer of a configuration, in whichever of the three forms it is written. */
export function layerNameOf(layer: unknown): string {
  if (typeof layer === 'string') return layer
  return isMadeLayer(layer) ? layer.name : String(Object.keys(Object(layer))[0])
}
