import { randomBytes } from 'node:crypto'
import { isStoreError } from '@unikv/core'
import { isPlainObject } from '@unikv/core/platform'
import type { Configuration } from '@unikv/manager'
import { wrong } from '../../study/faults.ts'
import type { ValueForm } from './side/messages.ts'

/** The layers of which values are something else than bytes. */
const forms: Readonly<Record<string, ValueForm>> = { json: 'object', structured: 'object', text: 'text' }

/** Layers as on the command line: names with commas, or a list in JSON. */
export function layersOf(text: string): readonly unknown[] {
  if (!text.startsWith('[')) return text.split(',').map((name) => name.trim())
  const layers = listIn(text)
  if (layers.length === 0) throw wrong('--layers names no layer. Leave it out, or name one.')
  return layers
}

function listIn(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as readonly unknown[]
  } catch (cause) {
    throw wrong(`--layers is not JSON. Write names, or a list such as '["cache", { "compression": {} }]'.`, {
      cause,
    })
  }
}

/**
 * Refuse layers that could only fail when the store is open.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` that names the layer
 */
export async function checkLayers(layers: readonly unknown[]): Promise<void> {
  for (const layer of layers) checkLayer(layer)
  const { openStore } = await import('@unikv/manager')
  try {
    const { close } = await openStore(configuration('memory:', layers), name)
    await close()
  } catch (cause) {
    if (!isStoreError(cause)) throw cause
    throw wrong(cause.message.replaceAll(`stores.${name}.layers`, '--layers'), { cause })
  }
}

/** The configuration of a store with layers. Encryption has a key of this process. */
export function configuration(url: string, layers: readonly unknown[], dataset?: string): Configuration {
  const keys = { primary: 'bench', keys: { bench: randomBytes(32).toString('base64') } }
  const encryption = { keys, dataset: 'unikv-bench' }
  const withKeys = layers.map((layer) => (layer === 'encryption' ? { encryption } : layer))
  const store = { url, layers: withKeys, ...(dataset === undefined ? {} : { dataset }) }
  return { stores: { [name]: store } } as Configuration
}

/** The name of the store in that configuration. */
export const name = 'measured'

/** The form of values that these layers take. */
export function formOf(layers: readonly unknown[]): ValueForm {
  const named = layers.map(nameOf).find((layer) => Object.hasOwn(forms, layer))
  return named === undefined ? 'bytes' : (forms[named] as ValueForm)
}

/** The name of a layer, with or without options. */
export function nameOf(layer: unknown): string {
  return typeof layer === 'string' ? layer : String(Object.keys(Object(layer))[0])
}

/** A result holds the configuration, but must not hold a key. Other stores are not there. */
function checkLayer(layer: unknown): void {
  const named = nameOf(layer)
  if (named === 'encryption' && isPlainObject(layer))
    throw wrong('--layers: encryption takes no options here. Each run makes a key of its own.')
  if (['tier', 'document'].includes(named))
    throw wrong(`--layers: bench overhead does not measure ${named}, which needs more than one store.`)
}
