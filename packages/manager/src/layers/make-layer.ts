import { type AnyLayer, isStoreError, type Schema } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { madeOf } from '../lone-references.ts'
import { bytesStore, type UsedStore } from '../shared-store.ts'
import { instead, wrong } from '../wrong.ts'
import { isMadeLayer } from './layer-name.ts'
import type { LayerName } from './layer-types.ts'
import { layerFactories, layerNames, storeOptions } from './layers.ts'

/**
 * A layer of a configuration.
 *
 * @param stores stores that options may name, those that were opened before
 * @param schema of the values, for a codec
 * @throws {StoreError} `INVALID_CONFIG` with the place
 */
export async function madeLayer(
  given: unknown,
  path: string,
  stores: ReadonlyMap<string, UsedStore>,
  schema?: Schema,
): Promise<AnyLayer> {
  if (isMadeLayer(given)) return given
  const [name, options] = namedLayer(given, path)
  const factory = await layerFactories[name]()
  try {
    return madeOf(options, (one) => factory(withStores(name, one, path, stores) as never, schema))
  } catch (cause) {
    throw isStoreError(cause) && !cause.message.startsWith('stores.')
      ? wrong(`${path}.${name}`, cause.message, cause)
      : cause
  }
}

function namedLayer(given: unknown, path: string): readonly [name: LayerName, options: object | undefined] {
  if (typeof given === 'string') return [layerName(given, path), undefined]
  if (!isPlainObject(given))
    throw wrong(
      path,
      `a layer is a name, { name: options }, or what a layer function returned, got ${kindOf(given)}`,
    )
  const [entry, ...others] = Object.entries(given)
  if (entry === undefined || others.length > 0)
    throw wrong(
      path,
      `a layer is one name with its options, got ${Object.keys(given).join(', ') || 'an empty object'}`,
    )
  const [name, options] = entry
  if (options !== null && options !== undefined && !isPlainObject(options))
    throw wrong(`${path}.${name}`, `options must be an object, got ${kindOf(options)}`)
  return [layerName(name, path), (options as object | null) ?? undefined]
}

function layerName(name: string, path: string): LayerName {
  if (name === 'monitor')
    throw wrong(
      path,
      'the monitor is not a layer here. Write `monitor: true` beside `stores`, and it counts all of them',
    )
  if (Object.hasOwn(layerFactories, name)) return name as LayerName
  throw wrong(path, `there is no layer '${name}'. ${instead(name, layerNames)}`)
}

/** The options with stores in place of their names, and functions in place of switches. */
function withStores(
  name: LayerName,
  options: object | undefined,
  path: string,
  stores: ReadonlyMap<string, UsedStore>,
): object | undefined {
  if (options === undefined) return undefined
  const takenAs = (option: string, value: unknown): unknown => {
    if (storeOptions[name]?.includes(option) === true && typeof value === 'string')
      // A log of transactions is used as the program uses it.
      return name === 'transactional'
        ? stores.get(value)?.kv
        : bytesStore(value, `${path}.${name}.${option}`, stores)
    return option === 'background' && value === true ? inBackground : value
  }
  return Object.fromEntries(
    Object.entries(options).map(([option, value]) => [option, takenAs(option, value)]),
  )
}

/** `background: true`: the process lives on, and the layer itself ends the work when it is closed. */
function inBackground(work: Promise<unknown>): void {
  work.catch(() => {}) // the layer tells its own listeners
}
