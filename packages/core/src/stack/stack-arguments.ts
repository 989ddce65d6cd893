import { StoreError } from '../contract/errors.ts'
import { kindOf } from '../options/check-options.ts'

// Checks of the arguments of `keyValue`, `compose` and layers over several stores: one message for each mistake.

/**
 * Refuse what is not a store.
 *
 * @param whose The factory, such as `keyValue`
 * @throws {StoreError} `INVALID_CONFIG` that says what to write
 */
export function checkStore(whose: string, store: unknown): void {
  const { read, write, capabilities } = Object(store) as Record<string, unknown>
  if (typeof read === 'function' && typeof write === 'function' && typeof capabilities === 'object') return
  throw new StoreError(
    'INVALID_CONFIG',
    `${whose}() takes a store, got ${kindOf(store)}. ${storeHint(store)}`,
  )
}

/**
 * Refuse what is not a list of layers.
 *
 * @param whose The factory, such as `keyValue`
 * @throws {StoreError} `INVALID_CONFIG` that says what to write
 */
export function checkLayers(whose: string, layers: unknown): void {
  if (!Array.isArray(layers)) {
    const write = isLayer(layers) ? '[layer]' : '[], options'
    throw new StoreError(
      'INVALID_CONFIG',
      `${whose}() takes a list of layers after the store, got ${isLayer(layers) ? 'a layer' : kindOf(layers)}. Write ${whose}(store, ${write}).`,
    )
  }
  for (let i = 0; i < layers.length; i++) if (!isLayer(layers[i])) throw notALayer(whose, layers[i], i)
}

/**
 * Refuse what is not a KeyValue.
 *
 * @param whose The factory, such as `keyvStore`
 * @throws {StoreError} `INVALID_CONFIG` that says what to write
 */
export function checkKeyValue(whose: string, kv: unknown): void {
  const { get, set, capabilities } = Object(kv) as Record<string, unknown>
  if (typeof get === 'function' && typeof set === 'function' && Object(capabilities) === capabilities) return
  const { read, write } = Object(kv) as Record<string, unknown>
  const [got, hint] =
    typeof read === 'function' && typeof write === 'function'
      ? ['a store', `Write ${whose}(keyValue(store)).`]
      : [kindOf(kv), 'Make one with keyValue(store).']
  throw new StoreError('INVALID_CONFIG', `${whose}() takes a KeyValue, got ${got}. ${hint}`)
}

function isLayer(value: unknown): boolean {
  return typeof (Object(value) as { plan?: unknown }).plan === 'object'
}

function notALayer(whose: string, given: unknown, index: number): StoreError {
  const hint = typeof given === 'function' ? ' Call it: json(), not json.' : ''
  const message = `Item ${index + 1} of the layers of ${whose}() must be a layer, got ${kindOf(given)}.${hint}`
  return new StoreError('INVALID_CONFIG', message)
}

function storeHint(given: unknown): string {
  if (typeof given === 'function') return 'Call it: memory(), not memory.'
  if (typeof given === 'string') return 'Open the URL first: open(url).'
  if (typeof (Object(given) as { get?: unknown }).get === 'function')
    return 'A KeyValue, a cache and a client are not stores.'
  return 'Make one with a factory such as memory().'
}
