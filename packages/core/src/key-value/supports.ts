import {
  type Capabilities,
  type Flag,
  leftOut,
  type ScanCapability,
  type TtlCapability,
} from '../contract/capabilities.ts'
import { StoreError } from '../contract/errors.ts'
import type { Store } from '../contract/store.ts'
import type { KeyValue, KeyValueBase } from './key-value.ts'

type FlagFeatures = { readonly [K in Flag]: { readonly [P in K]: true } }

/** The capabilities of a store that has a feature, by the name of the feature: those that are yes or no, and some of lists and expiry. */
export interface Features extends FlagFeatures {
  readonly scan: { readonly scan: ScanCapability }
  /** A listing in the order of keys, so that `gt`, `gte`, `lt` and `lte` work. */
  readonly orderedScan: { readonly scan: ScanCapability & { readonly order: 'bytes' } }
  /** A listing from the last key to the first. */
  readonly reverseScan: {
    readonly scan: ScanCapability & { readonly order: 'bytes'; readonly reverse: true }
  }
  readonly ttl: { readonly ttl: TtlCapability }
}

/** The name of a feature that a store may have. */
export type Feature = keyof Features

/** Several types as one that has the members of all. */
type All<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer A) => void ? A : never

/** Capabilities that include these features: `KeyValue<string, User, Supporting<'ttl' | 'scan'>>`. */
export type Supporting<F extends Feature> = Capabilities & All<Features[F]>

/**
 * Whether a KeyValue or store of unknown capabilities has a feature. Narrows its type: the operations and options
 * of the feature are there, and stay there in its namespaces.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a name that is not a feature
 */
export function supports<K, V, C extends Capabilities, N, const F extends Feature>(
  kv: KeyValueBase<K, V, C, N>,
  feature: F,
): kv is KeyValue<K, V, C & Features[F], N>
export function supports<V, C extends Capabilities, N, const F extends Feature>(
  store: Store<V, C, N>,
  feature: F,
): store is Store<V, C & Features[F], N>
export function supports(
  { capabilities }: { readonly capabilities: Capabilities },
  feature: Feature,
): boolean {
  const { scan } = capabilities
  if (feature === 'orderedScan') return scan !== false && scan.order === 'bytes'
  if (feature === 'reverseScan') return scan !== false && scan.reverse === true
  const declared: unknown = capabilities[feature] ?? (leftOut as Partial<Capabilities>)[feature]
  if (typeof declared === 'boolean') return declared
  if (declared === scan || declared === capabilities.ttl) return true
  const message = `'${String(feature)}' is not a feature, such as scan or ttl.`
  throw new StoreError('INVALID_ARGUMENT', message)
}
