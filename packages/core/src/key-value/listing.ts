import { isEntry } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { Entry, Page, ScanEntry, ScanRange } from '../contract/store.ts'
import { compareKeys, isUnnamed, isUserKey, userKey } from '../keys/canonical-key.ts'
import { decodeCursor, encodeCursor, type Place } from '../keys/cursor.ts'
import type { KeyCodec } from '../keys/key-codec.ts'
import { kindOf } from '../options/check-options.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Direct } from './direct.ts'
import type { ScanPage } from './key-value.ts'
import { type AnyRange, countOf, rangeOf } from './range.ts'
import type { CallSettings } from './settings.ts'

/** Settings of a listing, for any capabilities; checked at run time. */
export type AnyScan<K> = CallSettings &
  AnyRange<K> & {
    readonly prefix?: unknown
    readonly reverse?: unknown
    readonly limit?: number | undefined
    readonly pageSize?: number | undefined
    readonly cursor?: string | undefined
    readonly onUnreadable?: ((error: StoreError, key: K | undefined) => void) | undefined
  }

/** The result for a key that a scan found. */
export type ItemOf<K, V, T> = (key: K, found: ScanEntry<V>) => T | undefined

/** `keys()`: the key alone. */
export function keyItem<K>(key: K): K {
  return key
}

/** `entries()`: the key and its entry; a record that went since it was listed is left out. */
export function entryItem<K, V>(key: K, { entry }: ScanEntry<V>): readonly [K, Entry<V>] | undefined {
  return isEntry(entry) ? [key, entry] : undefined
}

/** One listing on its way: the range that is asked of the store, and its pages as the user sees them. */
export class Listing<K, V, T> {
  declare readonly range: ScanRange
  readonly #direct: Direct<K, V>
  readonly #operation: string
  readonly #item: ItemOf<K, V, T>
  readonly #onUnreadable: AnyScan<K>['onUnreadable']
  #left: number
  /** Where the next page begins, and what of it was listed before. */
  #place: Place = {}
  /** The error of the record before which the last page was cut. */
  #failure: StoreError | undefined

  constructor(
    direct: Direct<K, V>,
    operation: string,
    options: AnyScan<K>,
    values: boolean,
    item: ItemOf<K, V, T>,
  ) {
    const { store } = direct.engine
    try {
      checkCallOptions(operation, options)
      direct.demand('scan', operation)
      const range = rangeOf(direct, options, values)
      if (options.cursor !== undefined) this.#place = decodeCursor(store.name, range, options.cursor)
      this.range = this.#place.resume === undefined ? range : { ...range, resume: this.#place.resume }
      this.#left = options.limit === undefined ? Infinity : countOf('limit', options.limit)
      this.#onUnreadable = checkedFunction(options.onUnreadable)
    } catch (error) {
      throw direct.engine.refused(error, operation)
    }
    this.#direct = direct
    this.#operation = operation
    this.#item = item
  }

  /**
   * Whether the limit is reached.
   *
   * @throws {StoreError} the error of the record before which the last page was cut
   */
  isOver(): boolean {
    if (this.#failure !== undefined) throw this.#failure
    return this.#left === 0
  }

  /** The items of a page. An unreadable record cuts it, so that those before it are listed. */
  page(page: Page<V>): ScanPage<T> {
    const { resume } = page
    const begin = this.#place.resume
    const entries = this.#notListed(page.entries)
    const items: T[] = []
    let [index, after] = [0, this.#place.after]
    this.#place = { resume }
    for (; index < entries.length && items.length < this.#left; index++) {
      const found = entries[index] as ScanEntry<V>
      try {
        items.push(...shown(this.#direct, this.#operation, found, this.#item))
      } catch (error) {
        if (this.#passesOver(error as StoreError, found)) continue
        if (items.length === 0) throw error
        this.#failure = error as StoreError
        return { items, cursor: this.#cursor({ resume: begin, after }) }
      }
      after = found.key
    }
    this.#left -= items.length
    // A page that the limit cuts has no cursor: it would skip the rest of the page.
    if (resume === undefined || index < entries.length) return { items, cursor: undefined }
    return { items, cursor: this.#cursor({ resume }) }
  }

  #cursor(place: Place): string {
    return encodeCursor(this.#direct.engine.store.name, this.range, place)
  }

  /** The entries without those before the place of the cursor. */
  #notListed(entries: Page<V>['entries']): Page<V>['entries'] {
    const { after } = this.#place
    if (after === undefined) return entries
    const { scan } = this.#direct.engine.store.capabilities
    // Without order, and without this key: rather twice than not at all.
    if (scan === false || scan.order !== 'bytes')
      return entries.slice(entries.findIndex(({ key }) => key === after) + 1)
    const sign = this.range.reverse === true ? -1 : 1
    return entries.filter(({ key }) => sign * compareKeys(key, after) > 0)
  }

  #passesOver(error: StoreError, { key }: ScanEntry<V>): boolean {
    if (this.#onUnreadable === undefined) return false
    const { prefix, codec } = this.#direct
    const text = isUserKey(key) ? userKey(prefix, key) : undefined
    const named = text === undefined || codec === undefined ? text : decodedOrNot(codec, text)
    this.#onUnreadable(error, named as K | undefined)
    return true
  }
}

/** The item of a record that was listed or found; none, if it is not of this view. */
export function shown<K, V, T>(
  direct: Direct<K, V>,
  operation: string,
  found: ScanEntry<V>,
  item: ItemOf<K, V, T>,
): readonly T[] {
  if (mayBelongTo(direct.prefix, found)) throw direct.engine.located(found.entry, operation)
  const text = isUserKey(found.key) ? userKey(direct.prefix, found.key) : undefined
  if (text === undefined) return []
  if (isStoreError(found.entry)) throw direct.engine.located(found.entry, operation, [found])
  const key = direct.codec === undefined ? (text as K) : decoded(direct, operation, found, direct.codec, text)
  const one = item(key, { ...found, entry: direct.ownEntry(found.entry) })
  return one === undefined ? [] : [one]
}

function decoded<K, V>(
  direct: Direct<K, V>,
  operation: string,
  found: ScanEntry<V>,
  codec: KeyCodec<K>,
  text: string,
): K {
  try {
    return codec.decode(text)
  } catch (cause) {
    const message = 'The key codec threw an error on a key in the store; see the cause.'
    const error = isStoreError(cause) ? cause : new StoreError('CORRUPT', message, { cause })
    throw direct.engine.located(error, operation, [found])
  }
}

function decodedOrNot<K>(codec: KeyCodec<K>, text: string): K | undefined {
  try {
    return codec.decode(text)
  } catch {
    return undefined
  }
}

function checkedFunction<F>(given: F): F {
  if (given === undefined || typeof given === 'function') return given
  throw new StoreError('INVALID_ARGUMENT', `\`onUnreadable\` must be a function, got ${kindOf(given)}.`)
}

/** A record that cannot be opened, nor named, may be one of those that were asked for: an error, never a shorter list. */
function mayBelongTo<V>(prefix: string, { key, entry }: ScanEntry<V>): boolean {
  if (!isStoreError(entry) || !isUnnamed(key)) return false
  // Keys below a namespace are requested by its prefix; the root also lists keys of all namespaces.
  return prefix !== '' || key.charCodeAt(2) > 1
}
