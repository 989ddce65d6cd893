import { StoreError } from '../contract/errors.ts'
import type { ScanRange } from '../contract/store.ts'
import { nestedPrefix } from '../keys/canonical-key.ts'

/** The keys of a KeyValue, or of one of its namespaces, as the stores below know them. */
export interface KeysOf {
  /** The canonical key of a key of this view. @throws {StoreError} as the operations do */
  canonical(key: unknown): string
  /** The prefixes of the canonical keys of this view, and of all namespaces inside it. */
  readonly prefixes: readonly string[]
  /** The key with this canonical key; `undefined`: it is not a key of this view. */
  keyOf(canonical: string): unknown
  /** The canonical range of a prefix and bounds, as listings with values ask for it. @throws {StoreError} as they do */
  range(options: object): ScanRange
}

/** The members of a view that are used here. Its own type would make an import cycle. */
interface KeyView {
  readonly segments: readonly string[]
  readonly '~direct': {
    readonly prefix: string
    canonical(key: unknown): string
    keyOf(canonical: string): unknown
    rangeOf(options: object): ScanRange
  }
}

/**
 * For layers that are told by name what has changed elsewhere.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if this is not a KeyValue
 */
export function keysOf(view: unknown): KeysOf {
  if (!isView(view))
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Pass the KeyValue that the keys belong to as the first argument.',
    )
  const { segments, '~direct': direct } = view
  const prefixes = segments.length === 0 ? [''] : [direct.prefix, nestedPrefix(segments)]
  return {
    canonical: (key) => direct.canonical(key),
    prefixes,
    keyOf: (canonical) => direct.keyOf(canonical),
    range: (options) => direct.rangeOf(options),
  }
}

function isView(view: unknown): view is KeyView {
  return typeof view === 'object' && view !== null && '~direct' in view && 'segments' in view
}
