import type { Call } from '../contract/call.ts'
import { isEntry } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { Entry, Page, Pages, ScanEntry, ScanRange } from '../contract/store.ts'
import { isUnnamed, isUserKey, userKey } from '../keys/canonical-key.ts'
import { decodeCursor, encodeCursor } from '../keys/cursor.ts'
import type { KeyCodec } from '../keys/key-codec.ts'
import { kindOf } from '../options/check-options.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Direct } from './direct.ts'
import type { Scan, ScanPage } from './key-value.ts'
import { type AnyRange, boundsOf, countOf, firstUserKey, prefixOf } from './range.ts'
import type { CallSettings } from './settings.ts'
import { wholeCall } from './whole-call.ts'

const defaultPageSize = 1000

/** Settings of a listing, whatever the capabilities declare; checked at run time. */
export type AnyScan<K> = CallSettings &
  AnyRange<K> & {
    readonly prefix?: unknown
    readonly reverse?: unknown
    readonly limit?: number | undefined
    readonly pageSize?: number | undefined
    readonly cursor?: string | undefined
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
  #left: number

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
      this.range =
        options.cursor === undefined
          ? range
          : { ...range, resume: decodeCursor(store.name, range, options.cursor) }
      this.#left = options.limit === undefined ? Infinity : countOf('limit', options.limit)
    } catch (error) {
      throw direct.engine.refused(error, operation)
    }
    this.#direct = direct
    this.#operation = operation
    this.#item = item
  }

  /** Whether the limit is reached. */
  get full(): boolean {
    return this.#left === 0
  }

  page(page: Page<V>): ScanPage<T> {
    const all = page.entries.flatMap((found) => shown(this.#direct, this.#operation, found, this.#item))
    const items = all.slice(0, this.#left)
    this.#left -= items.length
    // A page that the limit cuts has no cursor: it would skip the rest of the page.
    if (page.resume === undefined || items.length < all.length) return { items, cursor: undefined }
    return { items, cursor: encodeCursor(this.#direct.engine.store.name, this.range, page.resume) }
  }
}

/** A listing of user keys. Nothing is sent before it is iterated. */
export function scanOf<K, V, T>(
  direct: Direct<K, V>,
  operation: string,
  options: AnyScan<K>,
  values: boolean,
  item: ItemOf<K, V, T>,
): Scan<T> {
  async function* pages(): AsyncGenerator<ScanPage<T>> {
    yield* pagesOf(direct, operation, options, new Listing(direct, operation, options, values, item))
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items
    },
  }
}

/** How many user keys there are: one call, of as many steps as there are pages. */
export function counted<K, V>(direct: Direct<K, V>, options: AnyScan<K>): Promise<number> {
  return direct.engine.task([], async () => {
    const listing = new Listing(direct, 'count', options, false, keyItem)
    const pages = pagesOf(direct, 'count', wholeCall(options), listing, true)
    let count = 0
    for await (const { items } of pages) count += items.length
    return count
  })
}

async function* pagesOf<K, V, T>(
  direct: Direct<K, V>,
  operation: string,
  options: AnyScan<K>,
  listing: Listing<K, V, T>,
  isStep = false,
): AsyncGenerator<ScanPage<T>> {
  const course = { earlier: direct.engine.written([listing.range.prefix]), isStep }
  for await (const page of rawPages(direct, operation, listing.range, options, course)) {
    const shownPage = listing.page(page)
    if (shownPage.items.length > 0 || shownPage.cursor === undefined) yield shownPage
    if (listing.full) return
  }
}

/** The scan that a listing belongs to. */
interface Course {
  /** The first page waits for this: what was written before. */
  readonly earlier: Promise<void>
  /** It is a step of a call for which `close` waits. */
  readonly isStep: boolean
}

/** Pages of the store, each within the deadline of the call. */
export async function* rawPages<K, V>(
  direct: Direct<K, V>,
  operation: string,
  range: ScanRange,
  settings: CallSettings,
  { earlier, isStep }: Course,
): AsyncGenerator<Page<V>> {
  const { engine } = direct
  const opened = (): Call => (isStep ? engine.step(settings) : engine.call(settings))
  try {
    // The call that the store holds for the whole scan, with the deadline of the current page.
    const options = opened()
    let iterator: Iterating<V> | undefined
    let isLeft = false
    // The stack is asked after the writes before it: a layer may look at what it has as soon as it is asked.
    const nextPage = (): IteratorResult<Page<V>> | Promise<IteratorResult<Page<V>>> => {
      if (isLeft) return { done: true, value: undefined }
      iterator ??= iteratorOf(engine.store.scan(range, options))
      return iterator.next()
    }
    try {
      while (true) {
        // Before the page is asked for: an aborted call would leave its promise to nobody.
        options.renew(opened().timeoutMs)
        const asked = earlier.then(nextPage)
        const next = await engine.bounded(operation, asked, options)
        if (next.done === true) return
        yield await engine.bounded<Page<V>>(operation, next.value, opened())
      }
    } finally {
      isLeft = true
      void release(iterator)
    }
  } catch (error) {
    throw engine.located(error, operation)
  }
}

type Iterating<V> = AsyncIterator<Page<V>> | Iterator<Page<V>>

function iteratorOf<V>(pages: Pages<V>): Iterating<V> {
  return Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages[Symbol.iterator]()
}

/** Nobody waits for the end of a listing that was left, so nobody is told if it fails. */
async function release(iterator: Iterating<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.()
  } catch {
    // The store sees to what it holds.
  }
}

function shown<K, V, T>(
  direct: Direct<K, V>,
  operation: string,
  found: ScanEntry<V>,
  item: ItemOf<K, V, T>,
): readonly T[] {
  if (mayBelongTo(direct.prefix, found)) throw direct.engine.located(found.entry, operation)
  const text = isUserKey(found.key) ? userKey(direct.prefix, found.key) : undefined
  if (text === undefined) return []
  if (isStoreError(found.entry)) throw direct.engine.located(found.entry, operation, [found])
  const key = direct.codec === undefined ? (text as K) : decoded(direct, operation, direct.codec, text)
  const one = item(key, { ...found, entry: direct.ownEntry(found.entry) })
  return one === undefined ? [] : [one]
}

function decoded<K, V>(direct: Direct<K, V>, operation: string, codec: KeyCodec<K>, text: string): K {
  try {
    return codec.decode(text)
  } catch (cause) {
    const message = 'The key codec threw an error on a key in the store; see the cause.'
    const error = isStoreError(cause) ? cause : new StoreError('CORRUPT', message, { cause })
    throw direct.engine.located(error, operation)
  }
}

/** A record that cannot be opened, nor named, may be one of those that were asked for: an error, never a shorter list. */
function mayBelongTo<V>(prefix: string, { key, entry }: ScanEntry<V>): boolean {
  if (!isStoreError(entry) || !isUnnamed(key)) return false
  // Keys below a namespace are requested by its prefix; the root also lists keys of all namespaces.
  return prefix !== '' || key.charCodeAt(2) > 1
}

/** The range of canonical keys that a listing asks for. */
function rangeOf<K, V>(direct: Direct<K, V>, options: AnyScan<K>, values: boolean): ScanRange {
  const { scan } = direct.engine.store.capabilities
  const prefix = prefixOf(direct, options.prefix)
  const bounds = boundsOf(direct, options)
  const reverse = checkedReverse(direct, options.reverse)
  const { limit = Number.POSITIVE_INFINITY, pageSize: wanted = defaultPageSize } = options
  const pageSize = Math.min(countOf('pageSize', wanted), limit)
  if (scan === false || scan.order !== 'bytes') return { prefix, pageSize, values }
  const range = { prefix, gte: bounds.gte ?? firstUserKey(prefix), lt: bounds.lt, pageSize, values }
  return reverse ? { ...range, reverse } : range
}

function checkedReverse<K, V>(direct: Direct<K, V>, reverse: unknown): boolean {
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
