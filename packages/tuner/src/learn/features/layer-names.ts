import type { LayerConfiguration } from '@unikv/manager'

/** Names of the layers of a configuration, those that the program made among them. */
export function layerNamesOf(layers: readonly LayerConfiguration[]): readonly string[] {
  return layers.map((layer) => {
    if (typeof layer === 'string') return layer
    const { name } = layer as { readonly name?: unknown }
    return typeof name === 'string' ? name : (Object.keys(layer)[0] ?? '')
  })
}
