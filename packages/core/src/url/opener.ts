import type { Bytes } from '../contract/bytes.ts'
import type { Store } from '../contract/store.ts'

/** Parts of a store's URL. */
export interface StoreUrl {
  /** In lower case, without its colon; empty if there is none. */
  readonly scheme: string
  /** Between the scheme and the parameters. */
  readonly path: string
  /** Scheme and path, as an adapter wants them. */
  readonly rest: string
  readonly parameters: URLSearchParams
}

/** The settings of a URL and of the options of `open`. */
export interface Opening extends StoreUrl {
  readonly dataset: string | undefined
  readonly name: string | undefined
  /** Whether what is missing, such as a table, is made. */
  readonly prepare: boolean
  /** Where credentials are looked up that the URL does not hold. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Makes the store of a URL; `ByScheme` has the type of the store for each scheme. */
export interface Opener<ByScheme extends object = object> {
  (opening: Opening): Store<Bytes>
  /** Nothing at run time: it keeps the types. */
  readonly stores?: ByScheme
}
