import { StoreError } from '../contract/errors.ts'
import type { ScanRange, Store } from '../contract/store.ts'
import { canonicalKey } from '../keys/canonical-key.ts'
import type { KeyCodec } from '../keys/key-codec.ts'
import { kindOf } from '../options/check-options.ts'

// The prefix and the bounds of listings and of clear.

const defaultPageSize = 1000

/** The view whose keys are listed. */
interface Ranged<K> {
  readonly engine: { readonly store: Pick<Store<never>, 'name' | 'capabilities'> }
  readonly prefix: string
  readonly codec: KeyCodec<K> | undefined
  canonical(key: K): string
}

/** Bounds of a range, for any capabilities; checked here. */
export interface AnyRange<K> {
  readonly gt?: K | undefined
  readonly gte?: K | undefined
  readonly lt?: K | undefined
  readonly lte?: K | undefined
}

/** The part of the options of a listing that says what is listed. */
interface Asked<K> extends AnyRange<K> {
  readonly prefix?: unknown
  readonly reverse?: unknown
  readonly limit?: number | undefined
  readonly pageSize?: number | undefined
}

/** The range of canonical keys that a listing asks for. */
export function rangeOf<K>(direct: Ranged<K>, options: Asked<K>, values: boolean): ScanRange {
  const { scan } = direct.engine.store.capabilities
  const prefix = prefixOf(direct, options.prefix)
  const bounds = boundsOf(direct, options)
  const reverse = checkedReverse(direct, options.reverse)
  const { limit = Number.POSITIVE_INFINITY, pageSize: wanted = defaultPageSize } = options
  const most = limit === Number.POSITIVE_INFINITY ? limit : countOf('limit', limit)
  const pageSize = Math.min(countOf('pageSize', wanted), most)
  if (scan === false || scan.order !== 'bytes') return { prefix, pageSize, values }
  const range = { prefix, gte: bounds.gte ?? firstUserKey(prefix), lt: bounds.lt, pageSize, values }
  return reverse ? { ...range, reverse } : range
}

function checkedReverse<K>(direct: Ranged<K>, reverse: unknown): boolean {
  if (reverse === undefined || reverse === false) return false
  if (reverse !== true)
    throw new StoreError('INVALID_ARGUMENT', `\`reverse\` must be true or false, got ${kindOf(reverse)}.`)
  const { name, capabilities } = direct.engine.store
  if (capabilities.scan !== false && capabilities.scan.reverse === true) return true
  throw new StoreError(
    'UNSUPPORTED',
    `${name} does not list keys in reverse. List them in order, or sort them.`,
  )
}

/** The canonical prefix of what is meant. */
export function prefixOf<K>(direct: Ranged<K>, prefix: unknown): string {
  const text = prefix === undefined ? '' : textOf(direct, prefix)
  return text === '' ? direct.prefix : canonicalKey(direct.prefix, text)
}

function textOf<K>({ codec }: Ranged<K>, prefix: unknown): string {
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
export function boundsOf<K>(
  direct: Ranged<K>,
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
function boundOf<K>(direct: Ranged<K>, after: K | undefined, at: K | undefined): string | undefined {
  if (after !== undefined) return `${direct.canonical(after)}\u0000`
  return at === undefined ? undefined : direct.canonical(at)
}

/** @throws {StoreError} `INVALID_ARGUMENT` unless `count` is a whole number above 0 */
export function countOf(name: string, count: number): number {
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new StoreError('INVALID_ARGUMENT', `${name} must be a whole number above 0.`)
}
