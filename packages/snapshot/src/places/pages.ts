import {
  type AnyStore,
  type Awaitable,
  type Entry,
  isStoreError,
  type Page,
  type ScanRange,
  StoreError,
  toStoreError,
} from '@unikv/core'
import { attempt, Call } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { retried, type Ways } from '../ways.ts'
import type { Place } from './place.ts'

/** One stored record. */
export interface Stored {
  readonly key: string
  readonly entry: Entry<unknown>
}

/** Where a walk over a place stands: in which of its listings, and where there. */
export interface Position {
  readonly listing: number
  readonly resume: string | undefined
}

/** A page of a walk, and the position after it; `undefined`: it was the last one. */
export interface WalkedPage<T> {
  readonly items: readonly T[]
  readonly after: Position | undefined
}

/** Pages hold about this many bytes. */
const pageBytes = 1_048_576
const firstPageSize = 8
const mostPageSize = 1_000
/** The longest record of a page counts for the next one by this part of its size. */
const longShare = 8

/**
 * Walk over the stored records of a place, page by page. Page sizes follow the size of the records, so that memory stays bounded.
 *
 * @throws {StoreError} that of a record which cannot be read, with its key; those of the listing
 */
export async function* recordPages(
  place: Place,
  from: Position | undefined,
  ways: Ways,
): AsyncGenerator<WalkedPage<Stored>> {
  for await (const { page, after } of rawPages(place, from, true, ways)) {
    const items: Stored[] = []
    for (const { key, entry } of page.entries) {
      if (!place.holds(key) || entry === undefined) continue
      if (isStoreError(entry)) throw toStoreError(entry, { key, operation: 'scan', store: place.store.name })
      items.push({ key, entry })
    }
    yield { items: latest(items), after }
  }
}

/** The keys of a place, page by page. */
export async function* keyPages(place: Place, ways: Ways): AsyncGenerator<readonly string[]> {
  for await (const { page } of rawPages(place, undefined, false, ways)) {
    const keys = page.entries.map(({ key }) => key).filter(place.holds)
    if (keys.length > 0) yield keys
  }
}

interface RawPage {
  readonly page: Page<unknown>
  readonly after: Position | undefined
}

async function* rawPages(
  place: Place,
  from: Position | undefined,
  values: boolean,
  ways: Ways,
): AsyncGenerator<RawPage> {
  const size = new PageSize(values, ways.pageSize ?? mostPageSize)
  const last = place.prefixes.length - 1
  let resume = from?.resume
  for (let listing = from?.listing ?? 0; listing <= last; listing++) {
    do {
      const range = { prefix: place.prefixes[listing] as string, pageSize: size.current, values, resume }
      resume = undefined
      for await (const page of pagesOfSize(new Listing(place.store, range, ways), size)) {
        resume = page.resume
        const following = resume === undefined ? { listing: listing + 1, resume } : { listing, resume }
        yield { page, after: following.listing > last ? undefined : following }
      }
    } while (resume !== undefined)
  }
}

/** Pages until the end, or until they should have another size. */
async function* pagesOfSize(pages: Listing, size: PageSize): AsyncGenerator<Page<unknown>> {
  const { current } = size
  try {
    for (let page = await pages.next(); page !== undefined; page = await pages.next()) {
      size.learn(page)
      yield page
      if (page.resume === undefined || size.current !== current) return
    }
  } finally {
    pages.leave()
  }
}

/** One listing of a store, begun again where it stands after a failure that may pass. */
class Listing {
  readonly #store: AnyStore
  readonly #ways: Ways
  #range: ScanRange
  #iterator: AsyncIterator<Page<unknown>> | Iterator<Page<unknown>> | undefined
  #call: Call | undefined

  constructor(store: AnyStore, range: ScanRange, ways: Ways) {
    this.#store = store
    this.#range = range
    this.#ways = ways
  }

  /** The next page; `undefined`: there is none. */
  async next(): Promise<Page<unknown> | undefined> {
    const page = await retried(this.#ways, async () => {
      try {
        return await this.#page()
      } catch (error) {
        this.leave()
        throw error
      }
    })
    this.#range = { ...this.#range, resume: page?.resume }
    return page
  }

  /** Let the store release the resources of the listing. */
  leave(): void {
    const iterator = this.#iterator
    this.#iterator = undefined
    this.#call = undefined
    // Not awaited: a listing that is stuck ends when its store gives up.
    void released(iterator)
  }

  async #page(): Promise<Page<unknown> | undefined> {
    const { timeoutMs, signal } = this.#ways
    this.#call ??= new Call(timeoutMs, signal)
    this.#call.renew(timeoutMs)
    if (this.#iterator === undefined) {
      const pages = this.#store.scan(this.#range, this.#call)
      this.#iterator =
        Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages[Symbol.iterator]()
    }
    const iterator = this.#iterator
    return attempt(this.#call, false, async () => {
      const { done, value }: IteratorResult<Awaitable<Page<unknown>>, unknown> = await iterator.next()
      return done === true ? undefined : value
    })
  }
}

async function released(iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.()
  } catch {
    // The listing is not used any more.
  }
}

/** How many records a page should have. */
class PageSize {
  current: number
  readonly #most: number
  readonly #follows: boolean

  constructor(values: boolean, most: number) {
    this.#follows = values
    this.#most = most
    this.current = Math.min(values ? firstPageSize : mostPageSize, most)
  }

  /** Change at least to the double or to the half: a new size costs a new listing. */
  learn({ entries }: Page<unknown>): void {
    if (!this.#follows || entries.length < Math.min(firstPageSize, this.current)) return
    const sizes = entries.map(({ key, entry }) => key.length + sizeOf(entry))
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
    // Where one record is long, the next ones may be.
    const wanted = Math.floor(pageBytes / Math.max(1, mean, Math.max(...sizes) / longShare))
    const next = Math.max(1, Math.min(this.#most, wanted))
    if (next >= this.current * 2 || next <= this.current / 2 || next === this.#most) this.current = next
  }
}

function sizeOf(entry: Page<unknown>['entries'][number]['entry']): number {
  if (entry === undefined || isStoreError(entry)) return 0
  return bytesOf(entry.value)
}

/** Each record once, as it came last: a listing may repeat keys, and a batch must not. */
export function latest(records: readonly Stored[]): readonly Stored[] {
  const byKey = new Map(records.map((record) => [record.key, record]))
  return byKey.size === records.length ? records : Array.from(byKey.values())
}

/** Bytes of a stored value; of a document about as many as its JSON text has. */
export function bytesOf(value: unknown): number {
  return isBytes(value) ? value.length : (JSON.stringify(value)?.length ?? 0)
}

/** The error for a store that lists nothing. */
export function cannotList(store: AnyStore): StoreError {
  return new StoreError('UNSUPPORTED', 'The source cannot list its keys, so they cannot be copied.', {
    store: store.name,
  })
}
