import type { AnyStore } from './compose.ts'
import { madeOf, type Place } from './made.ts'

/** A KeyValue, or the stack below it. */
export type AnyStack = Pick<AnyStore, 'name' | 'capabilities'>

/**
 * The layers of a stack, outermost first, each with the store that it stands on: for tools that work beside the layers
 * above, such as a sweep over stored records. Empty for the store of an adapter; a layer that makes one store of several
 * (mirror, fallback) ends it.
 */
export function layersOf(stack: AnyStack): readonly Place[] {
  return placesOf(isView(stack) ? stack['~direct'].engine.store : (stack as AnyStore))
}

/** Name of the codec of a stack, by which it holds something else than bytes; `undefined`: it has none, or that of bytes. */
export function codecOf(stack: AnyStack): string | undefined {
  const name = layersOf(stack).find(({ layer }) => layer.plan.codec !== undefined)?.layer.name
  return name === 'bytes' ? undefined : name
}

/** Whether this is a view of one namespace, and not a whole KeyValue or a store. */
export function isNamespace(stack: AnyStack): boolean {
  return isView(stack) && stack.segments.length > 0
}

/** The store below all layers of a stack, as its adapter (or a mirror) made it: for tools that take records as they are stored. */
export function adapterOf(stack: AnyStack): AnyStore {
  const store = isView(stack) ? stack['~direct'].engine.store : (stack as AnyStore)
  const lowest = placesOf(store).at(-1)?.inner ?? store
  return madeOf(lowest)?.of ?? lowest
}

/** The names of the namespace that a view shows, the outermost first; none for a whole KeyValue or a store. */
export function namespaceOf(stack: AnyStack): readonly string[] {
  return isView(stack) ? stack.segments : []
}

/** The members of a view that are used here. Its own type would make an import cycle. */
interface StackView {
  readonly segments: readonly string[]
  readonly '~direct': { readonly engine: { readonly store: AnyStore } }
}

function isView(stack: object): stack is StackView {
  return '~direct' in stack
}

/** The layers that a composed store consists of, outermost first; none for the store of an adapter. */
function placesOf(store: AnyStore): readonly Place[] {
  const place = madeOf(store)?.place
  return place === undefined ? [] : [place, ...placesOf(place.inner)]
}
