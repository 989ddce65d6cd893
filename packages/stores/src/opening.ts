import {
  type Bytes,
  type Capabilities,
  type Feature,
  type Store,
  StoreError,
  type Supporting,
  supports,
} from '@unikv/core'
import { checkFactoryOptions, kindOf as kindOfValue, nearest, type OptionNames } from '@unikv/core/adapter'
import type { Opener, Opening } from '@unikv/core/url'
import { splitUrl } from './store-url.ts'
import type { StoresByScheme } from './stores-by-scheme.ts'
import { type Kind, kindOf, schemes } from './table.ts'

/** How to open a store by URL. */
export interface OpenOptions<F extends Feature = Feature> {
  /**
   * Features that the program needs, for a URL that is known at run time only: a store without them is an error, and
   * the type has them. @default none
   */
  readonly needs?: readonly F[] | undefined
  /** Which records of the store are ours: a key prefix, folder or table. Wins over `?dataset=`. @default 'unikv' */
  readonly dataset?: string | undefined
  /** For errors and reports. @default the name of the adapter */
  readonly name?: string | undefined
  /** Make what is missing, such as a table, with the first call; `false`: `NOT_PREPARED`, for programs that only read. @default true */
  readonly prepare?: boolean | undefined
}

/**
 * The store that a URL opens, as far as its text tells. The native client of a server is of unknown type here, as
 * its driver is optional: for its type use the package of the adapter.
 */
export type OpenedStore<U extends string> = U extends `${infer S extends keyof StoresByScheme}:${string}`
  ? StoresByScheme[S]
  : Store<Bytes>

/** The same store with these features in its type. */
export type OpenedWith<S, F extends Feature> = [F] extends [never]
  ? S
  : S extends Store<infer V, infer C, infer N>
    ? Store<V, Capabilities extends C ? Supporting<F> : With<C, Supporting<F>>, N>
    : never

/** For a URL whose scheme is known: only what its type leaves open changes. */
type With<C extends Capabilities, Needed> = {
  readonly [K in keyof Capabilities]: K extends keyof Needed ? C[K] & Needed[K] : C[K]
}

const optionNames: OptionNames<OpenOptions> = { needs: true, dataset: true, name: true, prepare: true }

/** A URL that is asked for, checked as far as that goes without its adapter. */
export interface Asked {
  readonly kind: Kind
  readonly opening: Opening
  readonly needs: readonly Feature[]
}

/** Check options and scheme. */
export function asked(url: string, options: OpenOptions): Asked {
  checkFactoryOptions('open', options, optionNames)
  const given: unknown = url
  if (typeof given !== 'string')
    throw new StoreError('INVALID_CONFIG', `open() takes a URL as a string, got ${kindOfValue(given)}.`)
  const parts = splitUrl(url)
  const kind = kindOf(parts.scheme)
  if (kind === undefined) throw unknownScheme(url, parts.scheme)
  const dataset = options.dataset ?? parts.parameters.get('dataset') ?? undefined
  const { name, prepare = true } = options
  const opening = { ...parts, dataset, name, prepare, environment: process.env }
  return { kind, opening, needs: options.needs ?? [] }
}

/** The store, if it can do what is needed. */
export function opened<S>(opener: Opener, { opening, needs }: Asked): S {
  const store = opener(opening)
  refuseLack(store, needs)
  return store as unknown as S
}

/** Every store declares what it can do before it connects. */
function refuseLack(store: Store<Bytes>, needs: readonly Feature[]): void {
  if (!Array.isArray(needs))
    throw new StoreError('INVALID_CONFIG', "needs must be a list of features, such as ['ttl', 'scan'].")
  const lacking = needs.filter((need) => !supports(store, need))
  if (lacking.length === 0) return
  void store.close().catch(() => {})
  const message = `${store.name} does not declare ${lacking.join(', ')}, which \`needs\` requires. Choose another store.`
  throw new StoreError('UNSUPPORTED', message, { operation: 'open', store: store.name })
}

/** The text before the colon is repeated only if it must be a scheme: it may be a user. */
function unknownScheme(url: string, scheme: string): StoreError {
  const known = schemes.map((name) => `${name}:`)
  const isScheme = url.slice(scheme.length).startsWith('://') && scheme.length <= 20
  const what = isScheme ? `No store has the scheme '${scheme}:'` : 'A store URL must begin with a scheme'
  const meant = isScheme ? nearest(scheme, schemes) : undefined
  const hint = meant === undefined ? '' : ` Did you mean '${meant}:'?`
  return new StoreError('INVALID_CONFIG', `${what}.${hint} Known schemes: ${known.join(', ')}.`)
}
