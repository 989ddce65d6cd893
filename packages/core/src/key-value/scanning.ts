import type { Call } from '../contract/call.ts'
import type { Page, Pages, ScanRange } from '../contract/store.ts'
import type { Direct } from './direct.ts'
import type { Scan, ScanPage } from './key-value.ts'
import { type AnyScan, type ItemOf, keyItem, Listing } from './listing.ts'
import type { CallSettings } from './settings.ts'
import { wholeCall } from './whole-call.ts'

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
  const { engine } = direct
  const course = { earlier: engine.written([listing.range.prefix]), isStep }
  const settings = engine.readSettings(options) ?? {}
  for await (const page of rawPages(direct, operation, listing.range, settings, course)) {
    const shownPage = listing.page(page)
    if (shownPage.items.length > 0 || shownPage.cursor === undefined) yield shownPage
    if (listing.isOver()) return
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

/** No caller waits for the end of a listing that was left, so its failure is not reported. */
async function release(iterator: Iterating<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.()
  } catch {
    // The store sees to what it holds.
  }
}
