import type { AnyLayer, Bytes, Store } from '@unikv/core'
import { type AnyStack, isNamespace, layersOf, StoreError } from '@unikv/core/adapter'
import type { Vault } from '../vaults/vault.ts'

/** An encryption layer as a tool needs it. */
export interface SealedLayer {
  readonly vault: Vault
  /** Whether records that are not encrypted are handed on as they are. */
  readonly takesPlain: boolean
  /** Key of a record of the layer's own that is not sealed. */
  readonly ownKey?: string | undefined
}

/** Beside the layers, not in them: nothing of it can be seen or reached from outside. */
const sealedLayers = new WeakMap<object, SealedLayer>()

/** Remember what a layer seals with. */
export function rememberLayer<L extends object>(layer: L, sealed: SealedLayer): L {
  sealedLayers.set(layer, sealed)
  return layer
}

/**
 * The encryption layer of a stack, and the store that it stands on.
 *
 * @throws {StoreError} `INVALID_CONFIG` if there is none or more than one, or for a view of a namespace
 */
export function sealedPlace(stack: AnyStack): SealedLayer & { readonly inner: Store<Bytes> } {
  if (typeof stack !== 'object' || stack === null) throw invalid('reencrypt() needs a KeyValue or a stack.')
  if (isNamespace(stack)) throw invalid('reencrypt() needs the whole KeyValue, not a namespace of it.')
  const places = layersOf(stack).flatMap(({ layer, inner }) => {
    const sealed = sealedLayers.get(layer satisfies AnyLayer)
    return sealed === undefined ? [] : [{ ...sealed, inner }]
  })
  const [place] = places
  if (place !== undefined && places.length === 1) return place
  throw invalid(
    place === undefined
      ? 'This stack has no encryption layer. Give the stack that encrypts; of a mirror or a fallback, each of its stacks.'
      : 'This stack encrypts more than once. Give the inner stack alone, composed by itself.',
  )
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
