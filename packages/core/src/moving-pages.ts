import { compareKeys } from './canonical-key.ts'
import { StoreError } from './errors.ts'
import type { Page, ScanRange } from './store.ts'

/**
 * The pages of a server's listing, checked: each moves on from the one before, and lies in the range. A server or a proxy
 * that repeats a page would otherwise make `keys()` and `clear()` run forever.
 *
 * @param name of the store, for the message
 * @param isOrdered the store lists in byte order
 * @throws {StoreError} `CORRUPT` at the first page that does not move on
 */
export async function* movingPages<V>(
  name: string,
  isOrdered: boolean,
  range: ScanRange,
  pages: AsyncIterable<Page<V>>,
): AsyncGenerator<Page<V>> {
  let { resume } = range
  let last: string | undefined
  for await (const page of pages) {
    if (page.resume !== undefined && page.resume === resume) throw standsStill(name)
    for (const { key } of page.entries) {
      if (!key.startsWith(range.prefix)) throw beside(name)
      if (isOrdered && last !== undefined && compareKeys(key, last) <= 0) throw standsStill(name)
      last = key
    }
    resume = page.resume
    yield page
  }
}

function standsStill(name: string): StoreError {
  return new StoreError(
    'CORRUPT',
    `The listing of ${name} repeats keys or is out of order. Check what answers at its address.`,
  )
}

function beside(name: string): StoreError {
  return new StoreError(
    'CORRUPT',
    `The listing of ${name} holds a key outside the range that was asked for. Check what answers at its address.`,
  )
}
