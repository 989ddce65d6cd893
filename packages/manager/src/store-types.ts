import type { AnyStore, Bytes, Composed, Feature, KeyValue, KeyValueOf } from '@unikv/core'
import type { OpenedStore, OpenedWith } from '@unikv/stores'
import type { Configuration } from './configuration/configuration.ts'
import type { LayerName, NamedLayers } from './layers/layer-types.ts'

/** The KeyValue of each store of a configuration, by name. */
export type StoresOf<C extends Configuration> = {
  readonly [name in keyof C['stores'] & string]: StoreOf<C['stores'][name], C['stores']>
}

/**
 * The KeyValue that the configuration of one store describes. Layers that are not known have values of any kind.
 *
 * `All` are the stores that it may name in `from`.
 */
export type StoreOf<S, All = {}> = string extends S
  ? KeyValue<string, [S] extends [string] ? Bytes : unknown>
  : KeyValueOf<LayeredOf<S, All>>

/** The store with its layers. */
type LayeredOf<S, All> = S extends string
  ? OpenedStore<S>
  : S extends { readonly layers: infer L extends readonly unknown[] }
    ? Composed<SourceOf<S, All>, LayersOf<L>>
    : SourceOf<S, All>

/** The store below the layers. A URL with `${…}` in it may be of any store. */
type SourceOf<S, All> = S extends { readonly store: infer O extends AnyStore }
  ? O
  : S extends { readonly from: infer N extends keyof All }
    ? LayeredOf<All[N], All>
    : S extends { readonly url: infer U extends string }
      ? OpenedWith<OpenedStore<U>, NeedsOf<S>>
      : OpenedWith<OpenedStore<string>, NeedsOf<S>>

type NeedsOf<S> = S extends { readonly needs: readonly (infer F extends Feature)[] } ? F : never

type LayersOf<L extends readonly unknown[]> = { readonly [i in keyof L]: LayerOf<L[i]> }

type LayerOf<E> = E extends LayerName
  ? NamedLayers[E]
  : E extends { readonly plan: unknown }
    ? E
    : NamedLayers[keyof E & LayerName]
