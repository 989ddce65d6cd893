import type { Awaitable } from '../contract/awaitable.ts'
import type { Capabilities } from '../contract/capabilities.ts'
import { StoreError } from '../contract/errors.ts'
import type { Store } from '../contract/store.ts'
import type { AnyStack, AnyStore } from './any-store.ts'
import type { BeginJoint } from './joint.ts'
import type { RecordCalls, RecordStreams } from './streams.ts'

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
  /** For a codec: its encoding of values. */
  readonly codec?: PlanCodec | undefined
  /**
   * Whether a write has copied or encoded its values when it calls the store, in the same turn: over a store that answers at
   * once nobody has to copy them before. @default false
   */
  readonly takesAtOnce?: boolean | undefined
  /**
   * For a layer that acknowledges writes before its store has them: from now on `hear` is told the key of each such write that
   * is lost, until what is returned is called. Caches above ask for it, and those that others see refuse to stand there.
   */
  readonly hearLosses?: ((hear: (key: string) => unknown) => () => void) | undefined
  /**
   * For a layer that keeps long values in several records: reads and writes them as streams. It is given the calls of the KeyValue
   * on top of the stack, so that what it does has their order, deadlines and end, and the store that the layer stands on.
   */
  readonly streams?: ((calls: RecordCalls, inner: AnyStore) => RecordStreams) | undefined
  /**
   * For a layer next to the store, by which its records take part in transactions over several of them: begins those over the records of a
   * KeyValue, and refuses one that cannot take part.
   */
  readonly joint?: ((kv: AnyStack) => BeginJoint) | undefined
  /**
   * Whether `find` goes to the store below past this layer, which loses nothing by that. A layer that neither says so nor has a verb
   * `find` takes the capability away. @default false
   */
  readonly passesFind?: boolean | undefined
  /** Another name for the store, in the errors and figures of the layers above. @default that of the store below */
  readonly storeName?: string | undefined
  /** The verbs that it changes; core passes the rest on. Called once a stack. */
  wrap(inner: Store<unknown>): Partial<Verbs>
}

/** The codec of a layer. */
export interface PlanCodec {
  readonly own: {
    readonly name: string
    encode(value: unknown): Awaitable<unknown>
    decode(stored: unknown): Awaitable<unknown>
  }
  /** Neither what it stores nor what it brings back shares memory with the other. */
  readonly isFresh: boolean
}

/** The kind of values at a place in the stack. */
export type ValueKind = 'bytes' | 'documents' | 'objects' | 'any'

/** The verbs of a store that a layer may change. */
export type Verbs<V = unknown> = Pick<Store<V>, 'read' | 'write' | 'scan' | 'close' | 'find'>

/** Arguments of `layer`. */
export interface LayerOptions<Inner, Outer> {
  /** The kind of values that it needs below. `any` passes through. */
  readonly inner: ValueKind
  /** The kind of values that it shows above. `any`: the kind that it finds below. */
  readonly outer: ValueKind
  /** Capabilities that it needs below, literally equal. */
  readonly needs?: Partial<Capabilities> | undefined
  /** Capabilities that it changes. */
  readonly capabilities?: LayerPlan['capabilities']
  /** For a codec: its encoding of values. */
  readonly codec?: PlanCodec | undefined
  /**
   * Whether a write has copied or encoded its values when it calls the store, in the same turn: over a store that answers at
   * once nobody has to copy them before. @default false
   */
  readonly takesAtOnce?: boolean | undefined
  /** For a layer that keeps long values in several records: see `LayerPlan`. */
  readonly streams?: LayerPlan['streams']
  /** For a layer that lets records take part in transactions: see `LayerPlan`. */
  readonly joint?: LayerPlan['joint']
  /** For a layer that acknowledges writes before its store has them: see `LayerPlan`. */
  readonly hearLosses?: LayerPlan['hearLosses']
  /** Whether `find` goes past this layer: see `LayerPlan`. @default false */
  readonly passesFind?: boolean | undefined
  /** Another name for the store, in the errors and figures of the layers above. @default that of the store below */
  readonly storeName?: string | undefined
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
