import { type AnyStore, compose, StoreError } from '@unikv/core'
import {
  type AnyStack,
  adapterOf,
  checkStore,
  hidesNames,
  isUserKey,
  namespaceOf,
  namespacePrefix,
  nestedPrefix,
  ownerKey,
} from '@unikv/core/adapter'

/** Records as they are stored, below all layers: of a whole dataset, or of one namespace and those inside it. */
export interface Place {
  readonly store: AnyStore
  readonly namespace: readonly string[]
  /** Prefixes of the listings that together find all records. */
  readonly prefixes: readonly string[]
  /** Whether a canonical key belongs to the records that are copied. */
  holds(this: void, key: string): boolean
}

/** The record that tells of an unfinished copy, in its target. No layer and no `KeyValue` shows it. */
export const markKey: string = '\u0000mcopy\u00004'

const leases = '\u0000l'

/**
 * The stored records of a stack.
 *
 * @param whose the function that was called
 * @throws {StoreError} `UNSUPPORTED` for a namespace whose keys only a layer can tell; `INVALID_CONFIG` for other values than stores
 */
export function placeOf(whose: string, stack: AnyStack): Place {
  if (!('~direct' in Object(stack))) checkStore(whose, stack)
  const store = compose<AnyStore, []>(adapterOf(stack), [], { coalesce: false })
  const namespace = namespaceOf(stack)
  if (namespace.length > 0 && hidesNames(stack.capabilities))
    throw new StoreError(
      'UNSUPPORTED',
      `${store.name} stores hashes of its keys, so that one namespace cannot be told from others. Take the whole store.`,
    )
  return narrowed(store, namespace)
}

/**
 * The place of a target for the records of a namespace, which keep their keys.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a target that is another namespace
 */
export function targetOf({ store, namespace }: Place, ofSource: readonly string[]): Place {
  const isOther = namespace.length > 0 && JSON.stringify(namespace) !== JSON.stringify(ofSource)
  if (!isOther) return narrowed(store, ofSource)
  throw new StoreError(
    'INVALID_ARGUMENT',
    `Records keep their namespace, but the target is another one: ${namespace.join(' / ')}. Take the whole store, or the same namespace.`,
    { store: store.name },
  )
}

function narrowed(store: AnyStore, namespace: readonly string[]): Place {
  const isWhole = namespace.length === 0
  const own = prefixesOf(namespace)
  const { scan } = store.capabilities
  const isIndexed = scan !== false && scan.prefix !== 'filtered'
  return {
    store,
    namespace,
    prefixes: isWhole || !isIndexed ? [''] : ['\u0000', ...own],
    holds: holder(own),
  }
}

/** Whether a key belongs to the copied records of a namespace. */
export function belongsTo(namespace: readonly string[]): (key: string) => boolean {
  return holder(prefixesOf(namespace))
}

function holder(own: readonly string[]): (key: string) => boolean {
  return (key) => {
    if (key === markKey || key.startsWith(leases)) return false
    const owner = isUserKey(key) ? key : (ownerKey(key) ?? '')
    return own.some((prefix) => owner.startsWith(prefix))
  }
}

function prefixesOf(namespace: readonly string[]): readonly string[] {
  return namespace.length === 0 ? [''] : [namespacePrefix(namespace), nestedPrefix(namespace)]
}
