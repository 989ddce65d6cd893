import type { Capabilities } from '../contract/capabilities.ts'
import { StoreError } from '../contract/errors.ts'
import type { LayerFacts, Store } from '../contract/store.ts'

/** Stands for *any value* in a layer that passes values through. */
export declare const anyValue: unique symbol
/** Stands for *any value* in a layer that passes values through. */
export type AnyValue = typeof anyValue

/**
 * A layer of a stack: what middleware factories return. A descriptor, not a function, so that a list of layers
 * can be checked and inferred from the store outwards although it is written outermost first.
 *
 * `Inner` is the value type it needs below, `Outer` the one it shows above; `Caps` are the capabilities that it
 * changes, `Needs` those that it needs below (both as literal types).
 */
export interface Layer<out Inner, out Outer, out Caps = {}, out Needs = {}> {
  readonly name: string
  /** Type-level only. */
  readonly '~layer'?: {
    readonly inner: Inner
    readonly outer: Outer
    readonly caps: Caps
    readonly needs: Needs
  }
  readonly plan: LayerPlan
}

/** A layer that shows the values that it gets: monitor, cache, resilience. */
export interface PassThrough<out Caps = {}, out Needs = {}> extends Layer<AnyValue, AnyValue, Caps, Needs> {}

/** Any layer. `unknown`, not `any`: an un-annotated callback must not become `any` silently. */
export type AnyLayer = Layer<unknown, unknown, unknown, unknown>

/** A layer at run time. */
export interface LayerPlan {
  /** The kind of values that it needs below. `any` passes through. */
  readonly inner: ValueKind
  /** The kind of values that it shows above. `any`: the kind that it finds below. */
  readonly outer: ValueKind
  /** Capabilities that it needs, literally equal. */
  readonly needs?: Partial<Capabilities> | undefined
  /** Capabilities that it changes. */
  readonly capabilities?: Partial<Capabilities> | ((inner: Capabilities) => Partial<Capabilities>) | undefined
  /**
   * Whether `find` goes to the store below past this layer, which loses nothing by that. A layer that neither says so nor has a verb
   * `find` takes the capability away. @default false
   */
  readonly passesFind?: boolean | undefined
  /** Another name for the store, in the errors and figures of the layers above. @default that of the store below */
  readonly storeName?: string | undefined
  /** Told to the layers above, and to tools. */
  readonly facts?: LayerFacts | undefined
  /** The verbs that it changes; core passes the rest on. Called once a stack. */
  wrap(inner: Store<unknown>): Partial<Verbs>
}

/** The kind of values at a place in the stack. */
export type ValueKind = 'bytes' | 'documents' | 'objects' | 'any'

/** The verbs of a store that a layer may change. */
export type Verbs<V = unknown> = Pick<Store<V>, 'read' | 'write' | 'scan' | 'close' | 'find'>

/** Arguments of `layer`. */
export interface LayerOptions<Inner, Outer> extends Omit<LayerPlan, 'wrap'> {
  /** The verbs that it changes. Called once for each stack that the layer is put into. */
  wrap(inner: Store<Inner>): Partial<Verbs<Outer>>
}

/**
 * Make a layer that changes the value type.
 *
 * The type parameters `Caps` and `Needs` must say the same as the options `capabilities` and `needs`.
 */
export function layer<Inner, Outer, Caps = {}, Needs = {}>(
  name: string,
  options: LayerOptions<Inner, Outer>,
): Layer<Inner, Outer, Caps, Needs> {
  return planned(name, options)
}

/** Make a layer that passes values through. `wrap` must not look inside them. */
export function passThrough<Caps = {}, Needs = {}>(
  name: string,
  options: Omit<LayerOptions<unknown, unknown>, 'inner' | 'outer'>,
): PassThrough<Caps, Needs> {
  return planned(name, { ...options, inner: 'any', outer: 'any' })
}

function planned(name: string, options: unknown): { readonly name: string; readonly plan: LayerPlan } {
  if (typeof (options as LayerPlan | undefined)?.wrap !== 'function')
    throw new StoreError(
      'INVALID_CONFIG',
      'A layer needs `wrap`: a function that takes the store below and returns verbs.',
    )
  return Object.freeze({ name, plan: Object.freeze({ ...(options as LayerPlan) }) })
}
