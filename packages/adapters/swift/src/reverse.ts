import { type CallOptions, StoreError } from '@unikv/core'
import { compareKeys } from '@unikv/core/adapter'
import type { ListedPage, Listing, SwiftObjects } from './objects.ts'

/**
 * The first page of a listing. A service that does not know `reverse`, such as the gateway of Ceph, gives nothing in its
 * place, or the names beyond the marker: it must not pass for an empty range.
 *
 * @throws {StoreError} `UNSUPPORTED` if the service ignores `reverse`
 */
export async function firstPage(
  objects: SwiftObjects,
  listing: Listing,
  call: CallOptions,
): Promise<ListedPage> {
  const page = await objects.list(listing, call)
  if (!listing.reverse || isReversed(page, listing)) return page
  if (page.names.length === 0 && (await isEmpty(objects, listing, call))) return page
  // A first record may have been written in between.
  const again = await objects.list(listing, call)
  if (isReversed(again, listing)) return again
  throw new StoreError(
    'UNSUPPORTED',
    'This service ignores `reverse` in listings, so keys cannot be listed in reverse. List them in order.',
  )
}

function isReversed({ names: [first] }: ListedPage, { marker = '' }: Listing): boolean {
  return first !== undefined && compareKeys(first.name, marker) < 0
}

/** Whether the same range has no names in order either. */
async function isEmpty(objects: SwiftObjects, listing: Listing, call: CallOptions): Promise<boolean> {
  const { marker: endMarker, endMarker: marker } = listing
  const { names } = await objects.list({ ...listing, marker, endMarker, limit: 1, reverse: false }, call)
  return names.length === 0
}
