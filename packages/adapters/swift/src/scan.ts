import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Page,
  type ScanEntry,
  type ScanRange,
} from '@unikv/core'
import { afterPrefix, compareKeys } from '@unikv/core/adapter'
import { behind, decodeName, encodeName, justBelow } from './object-name.ts'
import { type Listing, listedExpiry, type SwiftObjects } from './objects.ts'
import { read } from './read.ts'
import { firstPage } from './reverse.ts'

/** Most names of a listing that every cluster gives. */
const maxListing = 1_000

/**
 * Pages of listings in the order of key bytes or in reverse, each after the last name of the one before. Values take a
 * request each.
 */
export async function* scanPages(
  objects: SwiftObjects,
  range: ScanRange,
  lanes: number,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const listing = listingOf(range)
  let page = await firstPage(objects, listing, call)
  while (true) {
    const { names, now } = page
    const keys = names
      .filter((one) => isLive(listedExpiry(one), now))
      .flatMap(({ name }) => decodeName(name) ?? [])
    const marker = names.length < listing.limit ? undefined : names.at(-1)?.name
    const entries = range.values ? await withValues(objects, keys, lanes, call) : keys.map((key) => ({ key }))
    yield { entries, resume: marker }
    if (marker === undefined) return
    page = await objects.list({ ...listing, marker }, call)
  }
}

/** Listings lag behind: what is gone by now is left out. */
async function withValues(
  objects: SwiftObjects,
  keys: readonly string[],
  lanes: number,
  call: CallOptions,
): Promise<ScanEntry<Bytes>[]> {
  const results = await read(
    objects,
    keys.map((key) => ({ key })),
    lanes,
    call,
  )
  return keys.flatMap((key, i) => {
    const entry = results[i]
    if (entry === undefined || (!isStoreError(entry) && 'notModified' in entry)) return []
    return [{ key, entry }]
  })
}

function isLive(endsAt: number | undefined, now: number): boolean {
  return endsAt !== undefined && (endsAt === 0 || endsAt > now)
}

/** The first request of a range. A cursor comes from outside, so it is only taken within the bounds. */
function listingOf(range: ScanRange): Listing {
  const { gte, resume, reverse = false } = range
  const prefix = encodeName(range.prefix)
  const start = gte === undefined || gte === '' ? undefined : justBelow(encodeName(gte))
  const [first, endMarker] = reverse ? [endOf(range) ?? behind(prefix), start] : [start, endOf(range)]
  const isWithin = first === undefined || (resume !== undefined && compareKeys(resume, first) < 0 === reverse)
  const limit = Math.min(range.pageSize, maxListing)
  return { prefix, marker: isWithin ? resume : first, endMarker, limit, reverse }
}

/** The end of the range, where its prefix does not end it before. */
function endOf({ prefix, lt }: ScanRange): string | undefined {
  const beyond = afterPrefix(prefix)
  const isNearer = beyond === undefined || (lt !== undefined && compareKeys(lt, beyond) < 0)
  return lt !== undefined && isNearer ? encodeName(lt) : undefined
}
