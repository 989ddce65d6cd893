import type { Direct } from './direct.ts'
import type { Scan, ScanPage } from './key-value.ts'
import { type AnyScan, type ItemOf, keyItem, Listing } from './listing.ts'
import { rawPages, wholeCall } from './raw-pages.ts'

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
    let count = 0
    for await (const { items } of listed(direct, 'count', options, false, keyItem)) count += items.length
    return count
  })
}

/** The pages of a listing as steps of one call, with one deadline. */
export function listed<K, V, T>(
  direct: Direct<K, V>,
  operation: string,
  options: AnyScan<K>,
  values: boolean,
  item: ItemOf<K, V, T>,
): AsyncGenerator<ScanPage<T>> {
  const listing = new Listing(direct, operation, options, values, item)
  return pagesOf(direct, operation, wholeCall(options), listing, true)
}

async function* pagesOf<K, V, T>(
  direct: Direct<K, V>,
  operation: string,
  options: AnyScan<K>,
  listing: Listing<K, V, T>,
  isStep = false,
): AsyncGenerator<ScanPage<T>> {
  const { engine } = direct
  const course = { earlier: engine.written([listing.range.prefix]), isStep }
  const settings = engine.readSettings(options) ?? {}
  for await (const page of rawPages(direct, operation, listing.range, settings, course)) {
    const shownPage = listing.page(page)
    if (shownPage.items.length > 0 || shownPage.cursor === undefined) yield shownPage
    if (listing.isOver()) return
  }
}
