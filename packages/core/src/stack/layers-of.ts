import type { AnyStack, AnyStore } from './any-store.ts'
import { type PlanCodec, planCodec } from './facts.ts'
import type { AnyLayer, ValueKind } from './layer.ts'

/** The properties of a stack that decide who owns a value. */
export interface StackParts {
  /** The outermost codec. */
  readonly codec: PlanCodec | undefined
  /** Whether other layers stand above the codec. */
  readonly isCovered: boolean
  /** Whether the store says that it answers at once, with no layer above it that could wait. */
  readonly isAtOnce: boolean
}

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
  const name = layersOf(stack).find(({ layer }) => planCodec.of(layer.plan.facts) !== undefined)?.layer.name
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

/**
 * The layers that reads and writes of a stack go through, outermost first: its own, and below a store that is made of several
 * (mirror, fallback) those of its primary.
 */
export function layersThrough(store: AnyStore): readonly Place[] {
  const places = layersOf(store)
  const primary = primaryOf(store, places)
  return primary === undefined ? places : [...places, ...layersThrough(primary)]
}

/** Whether a stack ends in a store that is made of several: others than those of `layersThrough` may lie in it. */
export function isOfSeveral(store: AnyStore): boolean {
  return primaryOf(store, layersOf(store)) !== undefined
}

function primaryOf(store: AnyStore, places: readonly Place[]): AnyStore | undefined {
  const lowest = places.at(-1)?.inner ?? store
  return ((madeOf(lowest)?.of ?? lowest) as { readonly primary?: AnyStore }).primary
}

/** Whether a cache may answer reads of this stack: one of its layers, or of those of the primary of a pair. */
export function hasCache(store: AnyStore): boolean {
  return layersThrough(store).some(({ layer }) => layer.name === 'cache')
}

/**
 * The level of a read that no layer below answers with what it has kept; `undefined` where the store has none. A cache
 * understands `'strong'` over every store.
 */
export function levelPastCaches(store: AnyStore): 'strong' | undefined {
  if (store.capabilities.consistency.includes('strong')) return 'strong'
  return hasCache(store) ? 'strong' : undefined
}
