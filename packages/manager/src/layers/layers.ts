import { pathToFileURL } from 'node:url'
import { type AnyLayer, type Schema, StoreError } from '@unikv/core'
import { requireFrom, requirePackage } from '@unikv/core/adapter'
import type { structured as Structured } from '@unikv/core/structured'
import type * as OpenTelemetryEntry from '@unikv/monitor/opentelemetry'
import type { LayerName } from './layer-types.ts'

/** Makes a layer of options of a configuration. Names of other stores have become stores. Codecs take a schema. */
export type LayerFactory = (options: never, schema?: Schema) => AnyLayer

/** Layers that take a schema of the program. */
export const schemaLayers: readonly string[] = [
  'json',
  'structured',
  'document',
] satisfies readonly LayerName[]

/** Options of layers that name other stores. */
export const storeOptions: { readonly [name in LayerName]?: readonly string[] } = {
  tier: ['store'],
  writeBehind: ['journal'],
  transactional: ['log'],
}

/** The layers that a configuration can name. Each is loaded when one is asked for. */
export const layerFactories: { readonly [name in LayerName]: () => Promise<LayerFactory> } = {
  json: async () => without('json', (await import('@unikv/core')).json),
  text: async () => without('text', (await import('@unikv/core')).text),
  document: async () => without('document', (await import('@unikv/core')).document),
  structured: async () => structuredOf((await import('@unikv/core/structured')).structured),
  cache: async () => (await import('@unikv/cache')).cache,
  tier: async () => (await import('@unikv/cache')).cache,
  compression: async () => (await import('@unikv/compression')).compression,
  encryption: async () => (await import('./encryption.ts')).encryptionOf,
  delta: async () => (await import('@unikv/delta')).delta,
  parts: async () => (await import('@unikv/parts')).parts,
  transactional: async () => (await import('@unikv/transaction')).transactional,
  writeBehind: async () => (await import('@unikv/write-behind')).writeBehind,
  resilience: async () => (await import('@unikv/resilience')).resilience,
  openTelemetry: loadOpenTelemetry,
}

/** The names of the layers. */
export const layerNames = Object.keys(layerFactories) as readonly LayerName[]

/**
 * It stands on a peer that a program installs only if it uses it, so bundlers must not see it: a build without that peer would
 * fail. A bundle has the layer itself in its configuration.
 */
async function loadOpenTelemetry(): Promise<LayerFactory> {
  requirePackage('@opentelemetry/api', placeOf(openTelemetryEntry))
  return requirePackage<typeof OpenTelemetryEntry>(openTelemetryEntry, import.meta.url).openTelemetry
}

const openTelemetryEntry = '@unikv/monitor/opentelemetry'

/** Where this module is, which declares what it needs; in a bundle, which may have it inside, the bundle. */
function placeOf(module: string): string | undefined {
  try {
    return pathToFileURL(requireFrom(import.meta.url).resolve(module)).href
  } catch {
    return import.meta.url
  }
}

/** A layer without options, which says so. */
function without(name: string, make: (schema: Schema) => AnyLayer): LayerFactory {
  return (options: object | undefined, schema) => {
    // A codec without a schema takes `undefined` for one.
    if (options === undefined || Object.keys(options).length === 0) return make(schema as Schema)
    throw new StoreError(
      'INVALID_CONFIG',
      `${name} takes no options here. A schema belongs to the program: openStores(config, { uses: { … } }).`,
    )
  }
}

function structuredOf(structured: typeof Structured): LayerFactory {
  return (options, schema) => (schema === undefined ? structured(options) : structured(schema, options))
}
