import { StoreError } from '../contract/errors.ts'
import type { Page, ScanRange } from '../contract/store.ts'
import { compareKeys } from '../keys/canonical-key.ts'

/**
 * The pages of a server's listing, checked: each moves on from the one before, and lies in the range. A server or a proxy
 * that repeats a page would otherwise make `keys()` and `clear()` run forever.
 *
 * @param name of the store, for the message
 * @param isOrdered the store lists in byte order, from the last key to the first where the range says `reverse`
 * @throws {StoreError} `CORRUPT` at the first page that does not move on
 */
export async function* movingPages<V>(
  name: string,
  isOrdered: boolean,
  range: ScanRange,
  pages: AsyncIterable<Page<V>>,
): AsyncGenerator<Page<V>> {
  const cursors = new Cursors(range.resume)
  let last: string | undefined
  const direction = range.reverse === true ? -1 : 1
  for await (const page of pages) {
    if (page.resume !== undefined && cursors.comesAgain(page.resume)) throw standsStill(name)
    for (const { key } of page.entries) {
      if (!key.startsWith(range.prefix)) throw beside(name)
      if (isOrdered && last !== undefined && direction * compareKeys(key, last) <= 0) throw standsStill(name)
      last = key
    }
    yield page
  }
}

/**
 * Tells when the cursors of a listing run in a circle, of any length: it keeps one of them, and takes a later one after
 * twice as many pages each time. Room for one cursor, and an error after three rounds at the latest.
 */
class Cursors {
  #kept: string | undefined
  #pages = 0
  #turnsAt = 1

  constructor(first: string | undefined) {
    this.#kept = first
  }

  comesAgain(cursor: string): boolean {
    if (cursor === this.#kept) return true
    if (++this.#pages < this.#turnsAt) return false
    this.#turnsAt *= 2
    this.#pages = 0
    this.#kept = cursor
    return false
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
