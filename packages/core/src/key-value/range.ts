import { StoreError } from '../contract/errors.ts'
import { canonicalKey } from '../keys/canonical-key.ts'
import type { Direct } from './direct.ts'

// The prefix and the bounds of listings and of clear.

/** Bounds of a range, whatever the capabilities declare; checked here. */
export interface AnyRange<K> {
  readonly gt?: K | undefined
  readonly gte?: K | undefined
  readonly lt?: K | undefined
  readonly lte?: K | undefined
}

/** The canonical prefix of what is meant. */
export function prefixOf<K, V>(direct: Direct<K, V>, prefix: unknown): string {
  if (prefix === undefined || prefix === '') return direct.prefix
  return canonicalKey(direct.prefix, textOf(direct, prefix))
}

function textOf<K, V>({ codec }: Direct<K, V>, prefix: unknown): string {
  if (typeof prefix === 'string' && prefix.isWellFormed()) return prefix
  if (codec?.encodePrefix !== undefined && typeof prefix !== 'string') return codec.encodePrefix(prefix)
  const parts = codec?.encodePrefix === undefined ? '' : ', or the leading parts of a key'
  throw new StoreError('INVALID_KEY', `A prefix must be a well-formed string${parts}.`)
}

/** Whether a bound is given. */
export function hasBounds<K>({ gt, gte, lt, lte }: AnyRange<K>): boolean {
  return [gt, gte, lt, lte].some((bound) => bound !== undefined)
}

/** The canonical bounds of a range. */
export function boundsOf<K, V>(
  direct: Direct<K, V>,
  range: AnyRange<K>,
): { readonly gte: string | undefined; readonly lt: string | undefined } {
  checkOneBound(range, 'gt', 'gte')
  checkOneBound(range, 'lt', 'lte')
  const { scan } = direct.engine.store.capabilities
  if (hasBounds(range) && (scan === false || scan.order !== 'bytes'))
    throw new StoreError(
      'UNSUPPORTED',
      `${direct.engine.store.name} does not list keys in order, so a scan cannot take a range.`,
    )
  return { gte: boundOf(direct, range.gt, range.gte), lt: boundOf(direct, range.lte, range.lt) }
}

/** Ordered stores need not walk internal records and other namespaces to list the root. */
export function firstUserKey(prefix: string): string | undefined {
  return prefix === '' ? '\u0002' : undefined
}

/** With both, one would be ignored. */
function checkOneBound<K>(range: AnyRange<K>, a: 'gt' | 'lt', b: 'gte' | 'lte'): void {
  if (range[a] !== undefined && range[b] !== undefined)
    throw new StoreError('INVALID_ARGUMENT', `Give \`${a}\` or \`${b}\`, not both.`)
}

/** The place right after one key, or else that of another. */
function boundOf<K, V>(direct: Direct<K, V>, after: K | undefined, at: K | undefined): string | undefined {
  if (after !== undefined) return `${direct.canonical(after)}\u0000`
  return at === undefined ? undefined : direct.canonical(at)
}

/** @throws {StoreError} `INVALID_ARGUMENT` for what is no whole number above 0 */
export function countOf(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new StoreError('INVALID_ARGUMENT', `${name} must be a whole number above 0.`)
}
