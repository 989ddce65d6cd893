import { type ComposeOptions, dispatch } from '../batches/dispatch.ts'
import type { Bytes } from '../contract/bytes.ts'
import type { Capabilities } from '../contract/capabilities.ts'
import { StoreError } from '../contract/errors.ts'
import type { Store } from '../contract/store.ts'
import { datasetOf } from '../keys/dataset-of.ts'
import { checkOptions, kindOf, type OptionNames } from '../options/check-options.ts'
import type { AnyStore } from './any-store.ts'
import { planCodec, takesAtOnce } from './facts.ts'
import type { AnyLayer, AnyValue, Layer, LayerPlan, PassThrough, ValueKind, Verbs } from './layer.ts'
import { type Made, made, madeOf, type StackParts } from './layers-of.ts'
import { checkLayers, checkStore } from './stack-arguments.ts'

export type { AnyStore } from './any-store.ts'

/** The value type of a store. */
export type ValueOf<S> = S extends Store<infer V, infer _C, infer _N> ? V : never
/** The capabilities of a store. */
export type CapabilitiesOf<S> = S extends { readonly capabilities: infer C extends Capabilities } ? C : never
/** The native client of a store. */
export type NativeOf<S> = S extends { readonly native: infer N } ? N : never

/** Capabilities after a layer changed some of them. */
type Changed<C, P> = {} extends P
  ? C
  : { readonly [K in keyof Capabilities]-?: K extends keyof P ? P[K] : K extends keyof C ? C[K] : never }

/** The store that one layer makes of another. */
type Wrapped<S, L> =
  L extends Layer<infer _I, infer O, infer P, infer _Needs>
    ? Store<
        PassesOn<O> extends true ? ValueOf<S> : O,
        AsCapabilities<Changed<CapabilitiesOf<S>, P>>,
        NativeOf<S>
      >
    : never

/** Whether a value type stands for that of the layer below; `any` extends everything, but does not. */
type PassesOn<V> = 0 extends 1 & V ? false : [V] extends [AnyValue] ? true : false

type AsCapabilities<C> = C extends Capabilities ? C : never

/** The store that a list of layers, outermost first, makes of a store. */
export type Composed<S, L extends readonly unknown[]> = L extends readonly []
  ? S
  : L extends readonly [...infer Rest, infer Last]
    ? Composed<Wrapped<S, Last>, Rest>
    : Perhaps<S, L[number]>

/** The store that some layers of a kind make of a store: none, or any number of them. */
type Perhaps<S, One> =
  One extends PassThrough<infer P, unknown>
    ? Store<ValueOf<S>, AsCapabilities<Either<CapabilitiesOf<S>, Changed<CapabilitiesOf<S>, P>>>, NativeOf<S>>
    : Store<unknown, Capabilities, NativeOf<S>>

type Either<A, B> = {
  readonly [K in keyof Capabilities]-?:
    | (K extends keyof A ? A[K] : never)
    | (K extends keyof B ? B[K] : never)
}

/** The same list, with the first wrong layer replaced by a sentence that says what is wrong. */
export type Checked<S, L extends readonly unknown[]> =
  IsLoose<L> extends true
    ? 'The order of these layers is unknown: add `as const` to a list in a variable, and do not spread conditionally'
    : CheckedList<S, L>

/**
 * Whether the type of a list has lost its order. Layers that pass values through may stand in any order, and a list
 * that is declared as `AnyLayer[]` asks to be checked at run time alone.
 */
type IsLoose<L extends readonly unknown[]> = L extends readonly [...infer Rest, unknown]
  ? IsLoose<Rest>
  : number extends L['length']
    ? L[number] extends PassThrough<unknown, unknown>
      ? false
      : [AnyLayer] extends [L[number]]
        ? false
        : true
    : false

type CheckedList<S, L extends readonly unknown[]> = L extends readonly [...infer Rest, infer Last]
  ? [Complaint<S, Last>] extends [never]
    ? readonly [...CheckedList<Wrapped<S, Last>, Rest>, Last]
    : readonly [...Rest, Complaint<S, Last>]
  : L

type Complaint<S, L> =
  L extends Layer<infer I, infer _O, infer _P, infer Needs>
    ? [I] extends [AnyValue]
      ? MissingNeed<S, Needs>
      : [ValueOf<S>] extends [I]
        ? MissingNeed<S, Needs>
        : HoldsDocuments<S, I> extends true
          ? 'Not possible here: this layer needs bytes, but the store holds documents'
          : `Wrong order: this layer needs ${Kind<I>} but what it wraps (to its right) holds ${Kind<ValueOf<S>>}`
    : never

/** Whether a layer of bytes stands on a store that was opened for documents. */
type HoldsDocuments<S, I> = [I] extends [Bytes]
  ? CapabilitiesOf<S> extends { readonly documents: true }
    ? true
    : false
  : false

type MissingNeed<S, Needs> = {
  [K in keyof Needs & string]: K extends keyof CapabilitiesOf<S>
    ? [CapabilitiesOf<S>[K]] extends [Needs[K]]
      ? never
      : `Not possible here: this layer needs a store that declares ${K}`
    : never
}[keyof Needs & string]

type Kind<V> = [V] extends [Bytes] ? 'bytes' : 'objects'

/**
 * A store in layers. *The first layer listed sees the call first; the last one stands next to the store.*
 *
 * A wrong order is one sentence at the wrong layer at compile time, and `INVALID_CONFIG` at run time.
 */
export function compose<S extends AnyStore, const L extends readonly AnyLayer[]>(
  store: S,
  layers: L & Checked<S, NoInfer<L>>,
  options: ComposeOptions = {},
): Composed<S, L> {
  checkOptions('compose', options, composeNames)
  return stack('compose', store, layers, options) as Composed<S, L>
}

const composeNames: OptionNames<ComposeOptions> = { coalesce: true }

/** `compose` without the types, for the factory that was called. */
export function stack(
  whose: string,
  store: AnyStore,
  layers: readonly AnyLayer[] = [],
  options: ComposeOptions = {},
): AnyStore {
  checkStore(whose, store)
  checkLayers(whose, layers)
  checkCoalesce(whose, options.coalesce)
  let { kind, parts } = madeOf(store) ?? bare(store)
  let built = store
  if (madeOf(store) === undefined)
    built = new Layered(store, passingFind(dispatch(store, options), store), undefined, {
      kind,
      parts,
      of: store,
    })
  for (const layer of layers.toReversed()) {
    const { name, plan } = layer
    const inner = built
    check(name, plan, inner, kind)
    if (plan.outer !== 'any') kind = plan.outer
    const { capabilities } = plan
    const changes = typeof capabilities === 'function' ? capabilities(inner.capabilities) : capabilities
    parts = partsUnder(plan, parts)
    const what = { kind, parts, place: { layer, inner } }
    const own = plan.wrap(inner)
    built = new Layered(inner, plan.passesFind ? passingFind(own, inner) : own, changes, what, plan.storeName)
  }
  return built
}

/** The verbs of a layer, with a `find` that goes past it unless it has its own. */
function passingFind(verbs: Partial<Verbs>, inner: AnyStore): Partial<Verbs> {
  const find: Verbs['find'] = (query, options) => (inner.find as typeof find & object)(query, options)
  return { find: inner.find && find, ...verbs }
}

function checkCoalesce(whose: string, coalesce: unknown): void {
  if (coalesce === undefined || typeof coalesce === 'boolean') return
  throw new StoreError(
    'INVALID_CONFIG',
    `\`coalesce\` of ${whose}() must be true or false, got ${kindOf(coalesce)}.`,
  )
}

function bare({ capabilities: { documents, sync } }: AnyStore): Made {
  const parts = { codec: undefined, isCovered: false, isAtOnce: sync === 'all' }
  return { kind: documents ? 'documents' : 'bytes', parts }
}

/** A layer that is not a codec may call the store later than it is called, unless it declares otherwise. */
function partsUnder({ facts }: LayerPlan, { codec: inner, isAtOnce }: StackParts): StackParts {
  const codec = planCodec.of(facts)
  if (codec === undefined)
    return {
      codec: inner,
      isCovered: inner !== undefined,
      isAtOnce: takesAtOnce.of(facts) === true && isAtOnce,
    }
  return { codec, isCovered: false, isAtOnce: isAtOnce && codec.isFresh }
}

function check(name: string, plan: LayerPlan, inner: AnyStore, kind: ValueKind): void {
  if (plan.inner === 'bytes' && kind === 'documents') {
    const form = `Not possible here: ${name} needs bytes, but ${inner.name} holds documents. Open the store with values: 'bytes', or leave ${name} out; the codec of documents is document().`
    throw new StoreError('INVALID_CONFIG', form, { store: inner.name })
  }
  if (plan.inner !== 'any' && plan.inner !== kind) {
    const order = `Wrong order: ${name} needs ${plan.inner} but what it wraps (to its right) holds ${kind}.`
    throw new StoreError('INVALID_CONFIG', order, { store: inner.name })
  }
  for (const [need, wanted] of Object.entries(plan.needs ?? {})) {
    if (inner.capabilities[need as keyof Capabilities] === wanted) continue
    const missing = `Not possible here: ${name} needs a store that declares ${need}; ${inner.name} does not.`
    throw new StoreError('INVALID_CONFIG', missing, { store: inner.name })
  }
}

/** A store with some verbs and capabilities of its own. */
class Layered implements AnyStore {
  // Declared, and assigned once: a field would be defined first.
  declare readonly name: string
  declare readonly dataset: string | undefined
  declare readonly capabilities: Capabilities
  declare readonly read: AnyStore['read']
  declare readonly write: AnyStore['write']
  declare readonly scan: AnyStore['scan']
  declare readonly close: AnyStore['close']
  declare readonly find: AnyStore['find']
  readonly #inner: AnyStore
  readonly #made: Made

  constructor(
    inner: AnyStore,
    own: Partial<Verbs>,
    changes: Partial<Capabilities> | undefined,
    what: Made,
    name: string = inner.name,
  ) {
    this.name = name
    this.dataset = datasetOf(inner)
    const { find } = { ...inner.capabilities, ...changes }
    const isLost = find === true && own.find === undefined
    this.capabilities =
      changes === undefined && !isLost
        ? inner.capabilities
        : Object.freeze({ ...inner.capabilities, ...changes, ...(isLost && { find: false }) })
    this.read = own.read ?? ((reads, options) => inner.read(reads, options))
    this.write = own.write ?? ((mutations, options) => inner.write(mutations, options))
    this.scan = own.scan ?? ((range, options) => inner.scan(range, options))
    this.close = own.close ?? (() => inner.close())
    this.find = own.find
    this.#inner = inner
    this.#made = what
  }

  // Asked for anew: a store that loads its driver lazily makes it when somebody wants it. In the prototype, as V8 makes an
  // object with an accessor of its own a dictionary, which every call of a verb would have to look into.
  get native(): unknown {
    return this.#inner.native
  }

  // In the prototype too: a copy of a stack with verbs of its own is another store.
  get [made](): Made | undefined {
    return #made in this ? this.#made : undefined
  }
}
