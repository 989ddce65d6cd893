import type { StackParts } from '../key-value/custody.ts'
import type { AnyStore } from './any-store.ts'
import type { AnyLayer, ValueKind } from './layer.ts'

/** A layer in a stack, and the store that it stands on. */
export interface Place {
  readonly layer: AnyLayer
  readonly inner: AnyStore
}

/** The parts of a store that was composed here. */
export interface Made {
  /** The kind of values it holds: composed again, it needs no second dispatch, and layers on it are still ordered. */
  readonly kind: ValueKind
  readonly parts: StackParts
  readonly place?: Place
  /** The store that stands below all layers, as it was given. */
  readonly of?: AnyStore
}

/** Where a store has its parts. Shared with other copies of this package, which may open what this one composed. */
export const made: unique symbol = Symbol.for('@unikv/core/made')

/** The parts of a store that `compose` of any copy of this package made; `undefined` for other stores. */
export function madeOf(store: AnyStore): Made | undefined {
  return (store as { readonly [made]?: Made })[made]
}
