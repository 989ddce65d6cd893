import { type Awaitable, andThen } from '../contract/awaitable.ts'
import type { Page, Pages } from '../contract/store.ts'

/** Pages with another content. Pages that came without a promise stay so as long as `change` answers at once. */
export function mapPages<V, W>(pages: Pages<V>, change: (page: Page<V>) => Awaitable<Page<W>>): Pages<W> {
  if (!isIterable(pages)) return mapAsync(pages, change)
  return { [Symbol.iterator]: () => mapNow(pages, change) }
}

/** Whether pages are at hand without a promise. */
export function isIterable<V>(pages: Pages<V>): pages is Iterable<Page<V>> {
  return Symbol.iterator in pages
}

async function* mapAsync<V, W>(
  pages: AsyncIterable<Page<V>>,
  change: (page: Page<V>) => Awaitable<Page<W>>,
): AsyncGenerator<Page<W>> {
  for await (const page of pages) yield await change(page)
}

/**
 * A promise among the pages is awaited by `for await`, and refused by the synchronous twin. A layer below may have made
 * one already.
 */
function* mapNow<V, W>(
  pages: Iterable<Page<V>>,
  change: (page: Page<V>) => Awaitable<Page<W>>,
): Generator<Page<W>> {
  for (const page of pages as Iterable<Awaitable<Page<V>>>) yield andThen(page, change) as Page<W>
}
